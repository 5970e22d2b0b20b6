// The programs are replaced while runs are active, as a package manager does it.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/harness.h"

namespace drover::tests {
namespace {

namespace fs = std::filesystem;

// Replaces the files: running programs keep the file they were started from.
void install(const std::string& directory) {
  fs::create_directories(directory);
  for (const char* name : {"drover", "droverd", "drover-keeper"}) {
    const std::string path = directory + "/" + name;
    fs::copy_file(std::string(DROVER_BIN) + "/" + name, path + ".new");
    fs::rename(path + ".new", path);
  }
}

// R18, H10: 200 active runs survive an upgrade: the restarted daemon adopts them, and each finishes
// once with its own exit code.
TEST(Upgrade, KeepsTwoHundredActiveRuns) {
  constexpr int kRuns = 200;
  Flock flock;
  const std::string bin = flock.file("bin");
  install(bin);
  std::string inputs;
  for (int i = 0; i < kRuns; ++i) inputs += std::to_string(i) + "\n";
  const std::string script =
      "echo begun $1; while ! test -e go; do sleep 0.2; done; echo done $1; exit $(($1 % 120))";
  const Output started = Started({bin + "/drover", "run", "--each", "-d", "-j", "8", "--json",
                                  "--shell", "--", script},
                                 flock.environment, inputs, flock.file(""))
                             .finish();
  ASSERT_EQ(started.code, 0) << started.err;
  std::map<std::string, int> runs;  // Its input, by id.
  for (size_t at = 0; (at = started.out.find("{\"input\":\"", at)) != std::string::npos; ++at) {
    runs[started.out.substr(started.out.find("run_0", at), 30)] =
        std::atoi(started.out.c_str() + at + 10);
  }
  ASSERT_EQ(runs.size(), static_cast<size_t>(kRuns));
  for (const auto& [id, input] : runs) flock.wait_for_state(id, "running");
  const pid_t before = flock.daemon();

  install(bin);
  const Output stopped = Started({bin + "/drover", "stop"}, flock.environment, "").finish();
  EXPECT_EQ(stopped.code, 0);
  EXPECT_NE(stopped.err.find("200 runs keep running"), std::string::npos) << stopped.err;
  const Output ps = Started({bin + "/drover", "ps", "--state", "running", "--json", "-n", "1000"},
                            flock.environment, "")
                        .finish();
  size_t running = 0;
  for (size_t at = 0; (at = ps.out.find("\"run_id\"", at)) != std::string::npos; ++at) ++running;
  EXPECT_EQ(running, static_cast<size_t>(kRuns));
  EXPECT_NE(flock.daemon(), before);

  flock.touch("go");
  for (const auto& [id, input] : runs) {
    const auto record = flock.ended(id);
    EXPECT_EQ(record.at("exit_code").to_number<int>(), input % 120) << id;
    EXPECT_EQ(flock.drover({"logs", id}).out,
              "begun " + std::to_string(input) + "\ndone " + std::to_string(input) + "\n");
  }
  flock.expect_verified();
}

}  // namespace
}  // namespace drover::tests
