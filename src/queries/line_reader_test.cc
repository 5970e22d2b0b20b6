// LineReader reads the output of a run as lines, while the run prints and afterwards.
#include "queries/line_reader.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "queries/store_fixture.h"
#include "testing/directory.h"

namespace drover::queries {
namespace {

class LineReaderTest : public StoreTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(home_.create());
    run_ = submit();
    ::mkdir(home_.run_directory(run_).c_str(), 0700);
    output_directory_ = Fd(::open(home_.run_directory(run_).c_str(), O_RDONLY | O_DIRECTORY));
    writer_.live_in(output_directory_.get());
  }
  void print(std::string_view bytes) { writer_.append(Stream::out, bytes, clock_.wall_ms()); }
  static std::string joined(const Result<std::vector<OutputLine>>& lines) {
    std::string out;
    for (const OutputLine& line : lines.value()) out += line.text + "|";
    return out;
  }

  testing::TestDirectory directory_;
  Home home_{directory_.file("config"), directory_.file("state"), directory_.file("run")};
  RunId run_;
  Fd output_directory_;
  OutputWriter writer_{-1, limits::kOutputBytesMax};
};

// Returns lines as they are finished, and the last, unfinished line when the run has finished.
TEST_F(LineReaderTest, FollowsARunningRun) {
  LineReader reader(home_, run_, {.bytes_max = 100});
  EXPECT_EQ(joined(reader.read(store_)), "");
  print("one\ntw");
  EXPECT_EQ(joined(reader.read(store_)), "one|");
  EXPECT_FALSE(reader.finished());
  EXPECT_FALSE(reader.has_more());
  print("o\nthr");
  EXPECT_EQ(joined(reader.read(store_)), "two|");
  finish(run_);
  EXPECT_EQ(joined(reader.read(store_)), "thr|");
  EXPECT_TRUE(reader.finished());
}

// Resumes after the end of any line. A run whose record was deleted counts as finished.
TEST_F(LineReaderTest, ResumesAfterAnyLine) {
  print("one\ntwo\nthree");
  finish(run_);
  const auto lines = LineReader(home_, run_, {.bytes_max = 100}).read(store_);
  ASSERT_EQ(joined(lines), "one|two|three|");
  remove(run_);
  LineReader rest(home_, run_, {.bytes_max = 100}, (*lines)[0].end);
  EXPECT_EQ(joined(rest.read(store_)), "two|three|");
  EXPECT_TRUE(rest.finished());
}

// Reads large output one portion at a time, and skips nothing.
TEST_F(LineReaderTest, ReadsAPortionAtATime) {
  const std::string line(999, 'x');
  constexpr size_t kLines = 1'000;
  for (size_t i = 0; i < kLines; ++i) print(line + "\n");
  finish(run_);
  LineReader reader(home_, run_, {.bytes_max = 2'000});
  size_t count = 0;
  size_t portions = 0;
  do {
    const auto lines = reader.read(store_);
    ASSERT_TRUE(lines);
    EXPECT_LT(lines->size(), kLines / 2);
    count += lines->size();
    ++portions;
  } while (!reader.finished());
  EXPECT_EQ(count, kLines);
  EXPECT_GT(portions, 2U);
}

}  // namespace
}  // namespace drover::queries
