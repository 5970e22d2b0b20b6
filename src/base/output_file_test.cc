#include "base/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kKept = 64;  // A head of 32 bytes, segments of 16.

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    path = fs::temp_directory_path() / "drover-output-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) std::abort();
    fd = Fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  ~TemporaryDirectory() { fs::remove_all(path); }

  std::string path;
  Fd fd;
};

struct Byte {
  char value;
  Stream stream;
};
using Bytes = std::vector<Byte>;

std::string text_of(const Bytes& bytes, Stream wanted) {
  std::string text;
  for (const Byte& b : bytes) {
    if (wanted == Stream::both || b.stream == wanted) text += b.value;
  }
  return text;
}

// The part of `all` that should be left: the head and the newest two segments.
Bytes kept_of(const Bytes& all) {
  const size_t head = kKept / 2;
  const size_t segment = kKept / 4;
  if (all.size() <= head + 2 * segment) return all;
  const size_t newest = (all.size() - head + segment - 1) / segment;  // Counted from 1.
  Bytes kept(all.begin(), all.begin() + head);
  kept.insert(kept.end(), all.begin() + static_cast<std::ptrdiff_t>(head + (newest - 2) * segment),
              all.end());
  return kept;
}

// The last `lines` lines of a text, the last of which may be incomplete.
std::string last_lines(const std::string& text, size_t lines) {
  if (lines == 0 || text.empty()) return "";
  size_t at = text.size() - 1;
  while (at > 0 && (text[at - 1] != '\n' || --lines > 0)) --at;
  return text.substr(at);
}

struct Write {
  std::string text;
  Stream stream = Stream::out;
  WallMs later = 0;
};

std::vector<Write> some_writes() {
  const auto text = rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n'));
  const auto write = rc::gen::construct<Write>(text, rc::gen::element(Stream::out, Stream::err),
                                               rc::gen::inRange<WallMs>(0, 20));
  return *rc::gen::container<std::vector<Write>>(write);
}

void showValue(const Write& w, std::ostream& out) {
  out << (w.stream == Stream::out ? "out" : "err") << " +" << w.later << "ms '" << w.text << "'";
}

// Reads to the end in steps of `step` bytes.
std::string read_all(OutputReader& reader, std::uint64_t from, size_t step, Stream stream) {
  std::string text;
  while (true) {
    std::uint64_t next = 0;
    const auto pieces = reader.read(from, step, stream, &next);
    RC_ASSERT(pieces.has_value());
    for (const OutputPiece& piece : *pieces) {
      RC_ASSERT(stream == Stream::both || piece.stream == stream);
      text += piece.bytes;
    }
    if (next == from) return text;
    from = next;
  }
}

// R11: printed bytes are read back, by stream and in steps of any size; above the limit exactly
// head and tail are left.
RC_GTEST_PROP(OutputFile, KeepsHeadAndTail, ()) {
  const TemporaryDirectory directory;
  OutputWriter writer(directory.fd.get(), kKept);
  Bytes all;
  WallMs now = 1000;
  for (const Write& write : some_writes()) {
    writer.append(write.stream, write.text, now += write.later);
    for (const char c : write.text) all.push_back({c, write.stream});
  }
  const auto step = *rc::gen::inRange<size_t>(1, 50);
  const Bytes kept = kept_of(all);
  OutputReader reader(directory.path);
  RC_ASSERT(writer.offset() == all.size());
  RC_ASSERT(reader.size().value() == all.size());
  RC_ASSERT(reader.holds_all(all.size()).value() == (kept.size() == all.size()));
  RC_ASSERT(!reader.holds_all(all.size() + 1).value());
  for (const Stream stream : {Stream::both, Stream::out, Stream::err}) {
    const std::string expected = text_of(kept, stream);
    RC_ASSERT(read_all(reader, 0, step, stream) == expected);
    const auto lines = *rc::gen::inRange<size_t>(0, 8);
    const auto tail = reader.tail_offset(lines, stream);
    RC_ASSERT(tail.has_value());
    RC_ASSERT(read_all(reader, *tail, step, stream) == last_lines(expected, lines));
  }
  std::uint64_t on_disk = 0;
  for (const auto& file : fs::directory_iterator(directory.path)) {
    if (file.path().filename().string().starts_with("output")) on_disk += file.file_size();
  }
  RC_ASSERT(on_disk <= kKept);
}

// R11: a reader that keeps up reads every byte once, in order, also across rotations.
RC_GTEST_PROP(OutputFile, CanBeFollowedWhileItGrows, ()) {
  const TemporaryDirectory directory;
  OutputWriter writer(directory.fd.get(), kKept);
  OutputReader reader(directory.path);
  std::string printed, seen;
  std::uint64_t next = 0;
  for (const Write& write : some_writes()) {
    for (size_t i = 0; i < write.text.size(); i += 16) {  // No faster than two segments.
      const std::string piece = write.text.substr(i, 16);
      writer.append(write.stream, piece, 1000);
      printed += piece;
      const auto pieces = reader.read(next, 1000, Stream::both, &next);
      RC_ASSERT(pieces.has_value());
      for (const OutputPiece& p : *pieces) seen += p.bytes;
    }
  }
  RC_ASSERT(seen == printed);
}

// Without output there are no files: a directory without output is an empty log.
TEST(OutputFiles, CreatesNoFilesWithoutOutput) {
  const TemporaryDirectory directory;
  OutputWriter writer(directory.fd.get(), kKept);
  writer.append(Stream::out, "", 1);
  EXPECT_TRUE(fs::is_empty(directory.path));
  OutputReader reader(directory.path);
  EXPECT_EQ(reader.size().value_or(1), 0U);
  EXPECT_EQ(reader.tail_offset(10, Stream::both).value_or(1), 0U);
  std::uint64_t next = 7;
  EXPECT_TRUE(reader.read(0, 10, Stream::both, &next)->empty());
  EXPECT_EQ(next, 0U);
}

// Each piece has the stream and the time of its arrival; bytes that arrive together are one piece.
TEST(OutputFiles, PiecesHaveStreamAndTime) {
  const TemporaryDirectory directory;
  OutputWriter writer(directory.fd.get(), 1 << 20);
  writer.append(Stream::out, "one ", 1000);
  writer.append(Stream::out, "line\n", 1005);
  writer.append(Stream::err, "oops\n", 1005);
  writer.append(Stream::out, "later\n", 5000);
  OutputReader reader(directory.path);
  std::uint64_t next = 0;
  const auto pieces = reader.read(0, 1000, Stream::both, &next);
  ASSERT_TRUE(pieces);
  ASSERT_EQ(pieces->size(), 3U);
  EXPECT_EQ(pieces->at(0).bytes, "one line\n");
  EXPECT_EQ(pieces->at(0).time, 1000);
  EXPECT_EQ(pieces->at(1).stream, Stream::err);
  EXPECT_EQ(pieces->at(1).offset, 9U);
  EXPECT_EQ(pieces->at(2).time, 5000);
}

// A full disk takes what fits; the rest is counted and dropped, and nothing blocks or fails.
TEST(OutputFiles, AFullDiskDropsAndCounts) {
  const TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    OutputWriter writer(directory.fd.get(), 1 << 20);
    writer.append(Stream::out, std::string(1500, 'x'), 1);
    writer.append(Stream::out, std::string(10, 'y'), 1);
    ::_exit(writer.offset() == 1000 && writer.dropped() == 510 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  OutputReader reader(directory.path);
  EXPECT_EQ(read_all(reader, 0, 100, Stream::out), std::string(1000, 'x'));
}

// A full disk may take the bytes but not their record: the next record that fits covers them, and
// until then they count as dropped.
TEST(OutputFiles, TheNextRecordCoversUnrecordedBytes) {
  const TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    OutputWriter writer(directory.fd.get(), 1 << 20);
    writer.append(Stream::out, "one\n", 1);
    const rlimit tight{sizeof(IndexHeader) + sizeof(IndexRecord), RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &tight);
    writer.append(Stream::err, "two\n", 100);
    if (writer.dropped() != 4) ::_exit(1);
    const rlimit wide{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &wide);
    writer.append(Stream::out, "three\n", 200);
    ::_exit(writer.dropped() == 0 ? 0 : 2);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  OutputReader reader(directory.path);
  EXPECT_EQ(read_all(reader, 0, 100, Stream::both), "one\ntwo\nthree\n");
}

}  // namespace
}  // namespace drover
