#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/golden/screens_fixture.h"
#include "cli/views/table.h"

namespace drover::cli::golden {
namespace {

namespace fs = std::filesystem;

constexpr std::array<size_t, 4> kWidths{60, 80, 120, 200};

// Lists every screen; add the list of a new group of commands here.
std::vector<GoldenScreen> all_screens() {
  std::vector<GoldenScreen> out;
  for (const auto& list : {list_screens, run_screens, reason_screens, play_screens, trigger_screens,
                           inbox_screens, daemon_screens, help_screens}) {
    for (GoldenScreen& screen : list()) out.push_back(std::move(screen));
  }
  return out;
}

std::string read(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Times are shown in the local time zone; these tests use UTC.
class Golden : public ::testing::Test {
 protected:
  Golden() {
    if (const char* zone = std::getenv("TZ")) zone_ = zone;
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
  ~Golden() override {
    zone_ ? ::setenv("TZ", zone_->c_str(), 1) : ::unsetenv("TZ");
    ::tzset();
  }

 private:
  std::optional<std::string> zone_;
};

// S1: the output at each width equals the stored file; DROVER_DRAW=1 writes the files. No file is
// left over from a removed screen.
TEST_F(Golden, ScreensEqualTheStoredFiles) {
  const fs::path directory = DROVER_GOLDEN;
  const bool draw = std::getenv("DROVER_DRAW") != nullptr;
  std::set<fs::path> known;
  for (const GoldenScreen& golden : all_screens()) {
    for (const size_t width : kWidths) {
      const std::string text = golden.draw(Screen(ColorMode::never, width));
      const fs::path file = directory / std::to_string(width) / (golden.name + ".txt");
      EXPECT_TRUE(known.insert(file).second) << file << " is drawn twice";
      if (draw) {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
      }
      EXPECT_EQ(text, read(file)) << file << " differs; look at it, then ./dev draw";
    }
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.path().extension() != ".txt" || known.contains(entry.path())) continue;
    if (draw) fs::remove(entry.path());
    EXPECT_TRUE(draw) << entry.path() << " belongs to no screen; ./dev draw removes it";
  }
}

// S1: whatever the records contain, no line is wider than the terminal, and none moves its cursor.
TEST_F(Golden, LinesFit) {
  for (const GoldenScreen& golden : all_screens()) {
    for (const size_t width : kWidths) {
      const std::string text = golden.draw(Screen(ColorMode::never, width));
      EXPECT_TRUE(text.ends_with('\n')) << golden.name;
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(columns(line), width) << golden.name << " at " << width << ": " << line;
        EXPECT_EQ(clean(line), line) << golden.name << " at " << width;
      }
    }
  }
}

}  // namespace
}  // namespace drover::cli::golden
