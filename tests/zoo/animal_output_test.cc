// The output of animals is stored byte for byte and within limits (R11); changes that they make to
// their own directory affect only them.
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>

#include "base/limits.h"
#include "tests/zoo/zoo.h"

namespace drover::zoo {
namespace {

class AnimalOutput : public Zoo {
 protected:
  std::string log_of(const std::string& id, const std::string& stream = "stdout") {
    const tests::Output output = flock_.drover({"logs", id, "--stream", stream});
    EXPECT_EQ(output.code, 0) << output.err;
    return output.out;
  }
};

// More output than is stored, without a newline: all of it is counted, the disk usage stays within
// the limit, and the tail is stored.
TEST_F(AnimalOutput, AFloodIsCountedAndBounded) {
  constexpr long kBytes = 5L << 29;  // 2.5 GiB
  static_assert(kBytes > static_cast<long>(2 * limits::kOutputBytesMax));
  const std::string id = let_loose("gigabyte", {std::to_string(kBytes)});
  expect_ended(id, {.exit_code = 0, .stdout_bytes = kBytes});
  size_t kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(flock_.home().runs() + "/" + id)) {
    struct stat st{};
    ASSERT_EQ(::stat(entry.path().c_str(), &st), 0);
    kept += static_cast<size_t>(st.st_size);
  }
  EXPECT_GT(kept, limits::kOutputBytesMax / 2);
  EXPECT_LE(kept, limits::kOutputBytesMax + (1U << 20));  // Plus a small index.
  const tests::Output tail = flock_.drover({"logs", id, "--tail", "1"});
  EXPECT_EQ(tail.code, 0) << tail.err;
  EXPECT_FALSE(tail.out.empty());
  EXPECT_LE(tail.out.size(), limits::kOutputBytesMax / 2);  // Not the head: that is another line.
  EXPECT_EQ(tail.out.find_first_not_of('x'), std::string::npos);
  flock_.expect_verified();
}

// Millions of short lines: none is lost or repeated, and all are in order.
TEST_F(AnimalOutput, EveryLineIsThere) {
  constexpr long kLines = 4'000'000;
  const std::string id = let_loose("lines", {std::to_string(kLines)});
  expect_ended(id, {.exit_code = 0, .stdout_bytes = kLines * 9});
  const std::string log = log_of(id);
  ASSERT_EQ(log.size(), static_cast<size_t>(kLines) * 9);
  for (long i = 0; i < kLines; ++i) {
    char line[16];
    std::snprintf(line, sizeof line, "%08ld\n", i);
    ASSERT_EQ(log.compare(static_cast<size_t>(i) * 9, 9, line), 0) << "line " << i;
  }
}

// Single bytes to both streams: each stream has its own bytes, and no others.
TEST_F(AnimalOutput, EveryByteIsThere) {
  constexpr int kBytes = 100'000;
  const std::string id = let_loose("bytewise", {std::to_string(kBytes)});
  expect_ended(id, {.exit_code = 0, .stdout_bytes = kBytes / 2, .stderr_bytes = kBytes / 2});
  EXPECT_EQ(log_of(id), std::string(kBytes / 2, 'o'));
  EXPECT_EQ(log_of(id, "stderr"), std::string(kBytes / 2, 'e'));
}

// Bytes that are not text are stored unchanged, and printed as base64 where text is expected.
TEST_F(AnimalOutput, BytesThatAreNotTextAreUnchanged) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  bytes += "\xc3(\xe2\x82\xf0\x9f\xed\xa0\x80\xff\xfe";
  bytes.push_back('\0');
  const std::string id = let_loose("not_text");
  expect_ended(
      id, {.exit_code = 0, .stdout_bytes = static_cast<long>(bytes.size()), .stderr_bytes = 3});
  EXPECT_EQ(log_of(id), bytes);
  EXPECT_EQ(log_of(id, "stderr"), std::string("\0\xff\0", 3));
  const std::string told =
      flock_.http("GET /api/runs/" + id +
                  "/logs?format=ndjson HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
  EXPECT_NE(told.find("\"base64\":"), std::string::npos) << told;
}

// A run may remove its working directory: it completes.
TEST_F(AnimalOutput, ARunMayRemoveItsDirectory) {
  std::filesystem::create_directory(flock_.file("ground"));
  const std::string id = let_loose("homeless", {}, {"--cwd", flock_.file("ground")});
  expect_ended(id, {.exit_code = 0});
  EXPECT_FALSE(std::filesystem::exists(flock_.file("ground")));
}

// A command may execute another program in its place: the output and exit code are that program's.
TEST_F(AnimalOutput, AProgramMayReplaceItself) {
  const std::string copy = flock_.file("chameleon");
  std::filesystem::copy_file(program_, copy);
  program_ = copy;
  const std::string id = let_loose("replaced");
  Ending ending{.state = "failed", .reason = "exit_nonzero", .exit_code = 12, .stdout_bytes = 9};
  expect_ended(id, ending);
  EXPECT_EQ(log_of(id), "replaced\n");
}

}  // namespace
}  // namespace drover::zoo
