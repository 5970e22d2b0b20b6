#include "base/output_file.h"
#include "base/limits.h"
#include "base/output_tail.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

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

// The last `lines` lines of a text, the last of which may be incomplete. After the first `head`
// bytes there is a gap; the line that it cuts is not counted, unless it is the last line of all.
std::string last_lines(const std::string& text, size_t lines, size_t head) {
  if (lines == 0 || text.empty()) return "";
  const size_t cut = head == std::string::npos ? head : text.substr(0, head).rfind('\n');
  std::vector<size_t> begins{0};
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '\n' && i != cut) begins.push_back(i + 1);
  }
  if (head < text.size() && begins.back() < head) begins.push_back(head);
  return text.substr(begins[begins.size() - std::min(lines, begins.size())]);
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

// Reads to the end in steps of `step` bytes. With `gaps`, returns the number of bytes that the
// reader says are not kept.
std::string read_all(OutputReader& reader, std::uint64_t from, size_t step, Stream stream,
                     std::uint64_t* gaps = nullptr) {
  std::string text;
  while (true) {
    std::uint64_t next = 0;
    const auto pieces = reader.read(from, step, stream, &next);
    RC_ASSERT(pieces.has_value());
    for (const OutputPiece& piece : *pieces) {
      RC_ASSERT(stream == Stream::both || piece.is_gap() || piece.stream == stream);
      text += piece.bytes;
      if (gaps != nullptr) *gaps += piece.gap_bytes;
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
  RC_ASSERT(writer.not_kept() == all.size() - kept.size());
  for (const Stream stream : {Stream::both, Stream::out}) {
    const std::string expected = text_of(kept, stream);
    std::uint64_t gaps = 0;
    RC_ASSERT(read_all(reader, 0, step, stream, &gaps) == expected);
    RC_ASSERT(gaps == all.size() - kept.size());
    const auto lines = *rc::gen::inRange<size_t>(0, 8);
    TailSearch tail(reader, lines, stream);
    RC_ASSERT(tail.search().value());
    const size_t head = gaps == 0 ? std::string::npos
                                  : text_of({all.begin(), all.begin() + kKept / 2}, stream).size();
    RC_ASSERT(read_all(reader, tail.begin(), step, stream) == last_lines(expected, lines, head));
  }
  std::uint64_t on_disk = 0;
  for (const auto& file : fs::directory_iterator(directory.path)) {
    if (file.path().filename().string().starts_with("output")) on_disk += file.file_size();
  }
  RC_ASSERT(on_disk <= kKept);
}

// R11: whenever a reader reads, no gap is reported where there is none, and the pieces and gaps of
// both streams together cover the whole output.
RC_GTEST_PROP(OutputFile, PiecesAndGapsCoverEverything, ()) {
  const TemporaryDirectory directory;
  OutputWriter writer(directory.fd.get(), kKept);
  std::string printed;
  std::uint64_t seen_to = 0;
  OutputReader reader(directory.path);
  for (const Write& write : some_writes()) {
    writer.append(write.stream, write.text, 1000);
    printed += write.text;
    if (*rc::gen::arbitrary<bool>()) continue;  // The reader is slow.
    const auto pieces = reader.read(seen_to, 10'000, Stream::both, &seen_to);
    RC_ASSERT(pieces.has_value());
    for (const OutputPiece& piece : *pieces) {
      RC_ASSERT(piece.is_gap() || printed.substr(piece.offset, piece.bytes.size()) == piece.bytes);
    }
    RC_ASSERT(seen_to == printed.size());
  }
}

// R11: an exact reader gets every byte, however far it falls behind. Once the reserve is full, the
// writer takes no more bytes until the reader has read some.
TEST(OutputFiles, AnExactReaderMissesNothing) {
  constexpr std::uint64_t kLimit = 4096;
  const TemporaryDirectory directory;
  OutputWriter writer(directory.fd.get(), kLimit, true);
  OutputReader reader(directory.path);
  std::uint64_t printed = 0, next = 0;
  bool was_full = false;
  const auto bytes_at = [](std::uint64_t offset, size_t size) {
    std::string text(size, '\0');
    for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>((offset + i) * 31 >> 3);
    return text;
  };
  const auto read_on = [&](size_t most) {
    const auto pieces = reader.read(next, most, Stream::both, &next);
    ASSERT_TRUE(pieces);
    for (const OutputPiece& piece : *pieces) {
      ASSERT_FALSE(piece.is_gap());
      ASSERT_TRUE(piece.bytes == bytes_at(piece.offset, piece.bytes.size()));
    }
    writer.was_read_to(next);
  };
  for (const auto& [size, read] : {std::pair<size_t, size_t>{100, 7},
                                   {3'000, 50},
                                   {2'000'000, 1'000},
                                   {100'000'000, 3'000'000},
                                   {1'234'567, 10},
                                   {0, 10'000'000},
                                   {2'000'000, 1'999'999}}) {
    const std::string text = bytes_at(printed, std::min<std::uint64_t>(size, writer.room()));
    writer.append(Stream::out, text, 1000);
    printed += text.size();
    if (text.size() < size) {
      was_full = true;
      EXPECT_GE(printed - next, limits::kOutputReserveBytes);
      EXPECT_EQ(writer.room(), 0U);
    }
    read_on(read);
  }
  EXPECT_TRUE(was_full);
  while (next < printed && !HasFatalFailure()) read_on(1'000'000);
  // Without its reader, the writer keeps as much as for any other run.
  writer.forget_reader();
  EXPECT_EQ(writer.room(), UINT64_MAX);
  writer.finish();
  std::uint64_t gap = 0;
  OutputReader later(directory.path);
  EXPECT_EQ(read_all(later, 0, kLimit * 2, Stream::both, &gap).size(), kLimit);
  EXPECT_EQ(gap, printed - kLimit);
  EXPECT_EQ(gap, writer.not_kept());
}

// R11: whatever the limit, there is room for the last output of a command that fills its reserve,
// and a reader that has read everything makes room again. (The file is a hole: nothing is stored.)
TEST(OutputFiles, EveryLimitHasAReserve) {
  for (const std::uint64_t limit :
       {limits::kOutputLimitMin, std::uint64_t{1} << 20, std::uint64_t{300} << 20,
        limits::kOutputBytesMax, limits::kOutputLimitMax}) {
    OutputWriter writer(-1, limit, true);
    EXPECT_GE(writer.room(), limit);
    for (int round = 0; round < 3; ++round) {
      writer.lose(writer.room());
      EXPECT_EQ(writer.room(), 0U);
      writer.was_read_to(writer.offset() - (8 << 20));  // The rest is on its way to the reader.
      EXPECT_GT(writer.room(), 0U) << limit;
    }
    writer.lose(writer.room());
    writer.widen_reserve(2);
    EXPECT_EQ(writer.room(), limits::kOutputReserveBytes) << limit;
    writer.forget_reader();
    writer.was_read_to(0);
    EXPECT_TRUE(writer.has_reader());
  }
}

// If a full disk took nothing of the head, the tail is still found.
TEST(OutputFiles, TheTailIsFoundWithoutAHead) {
  const TemporaryDirectory directory;
  OutputWriter writer(-1, kKept);
  writer.append(Stream::out, std::string(kKept / 2, 'x'), 1);
  writer.live_in(directory.fd.get());
  writer.append(Stream::out, "tail", 1);
  OutputReader reader(directory.path);
  reader.expect(writer.offset());
  std::uint64_t gap = 0;
  EXPECT_EQ(read_all(reader, 0, 1000, Stream::both, &gap), "tail");
  EXPECT_EQ(gap, kKept / 2);
  EXPECT_EQ(writer.not_kept(), kKept / 2);
}

// R11: a reader that opened a segment before the reserve was removed reads its bytes, and never the
// hole that they leave.
TEST(OutputFiles, CuttingTheTailIsNotSeenByReaders) {
  const TemporaryDirectory directory;
  OutputWriter writer(directory.fd.get(), kKept, true);
  std::string printed;
  for (int i = 0; i < 100; ++i) printed += std::to_string(1000 + i) + "\n";
  writer.append(Stream::out, printed, 1);
  OutputReader before(directory.path);
  std::uint64_t next = 0;
  ASSERT_TRUE(before.read(0, kKept, Stream::both, &next));
  remove_reserve(directory.path);
  EXPECT_EQ(read_all(before, next, 1000, Stream::both), printed.substr(next));
  OutputReader after(directory.path);
  after.expect(printed.size());
  EXPECT_EQ(read_all(after, kKept / 2, 1000, Stream::both),
            printed.substr(printed.size() - kKept / 2));
  remove_reserve(directory.path);
  EXPECT_EQ(read_all(after, kKept / 2, 1000, Stream::both),
            printed.substr(printed.size() - kKept / 2));
}

// R11: bytes that a full disk did not take are a gap at the place where they were printed.
TEST(OutputFiles, AFullDiskLeavesAGap) {
  const TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    OutputWriter writer(directory.fd.get(), 1 << 20);
    writer.append(Stream::out, std::string(500, 'x'), 1);
    const rlimit tight{500, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &tight);
    writer.append(Stream::out, std::string(200, 'y'), 1);
    const rlimit wide{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &wide);
    writer.append(Stream::out, std::string(300, 'z'), 1);
    ::_exit(writer.offset() == 1000 && writer.not_kept() == 200 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  OutputReader reader(directory.path);
  std::uint64_t next = 0;
  const auto pieces = reader.read(0, 10'000, Stream::out, &next);
  ASSERT_TRUE(pieces);
  ASSERT_EQ(pieces->size(), 3);
  EXPECT_EQ(pieces->at(0).bytes, std::string(500, 'x'));
  EXPECT_EQ(pieces->at(1).offset, 500);
  EXPECT_EQ(pieces->at(1).gap_bytes, 200);
  EXPECT_EQ(pieces->at(2).bytes, std::string(300, 'z'));
}

// A power cut may lose bytes that a record names: for a finished run, these bytes are a gap.
TEST(OutputFiles, LostBytesAreAGap) {
  const TemporaryDirectory directory;
  OutputWriter writer(directory.fd.get(), 1 << 20);
  writer.append(Stream::out, "one\n", 1);
  writer.append(Stream::err, "two\n", 100);
  writer.append(Stream::out, "three\n", 200);
  fs::resize_file(directory.path + "/output", 6);
  OutputReader reader(directory.path);
  reader.expect(14);
  std::uint64_t gap = 0;
  EXPECT_EQ(read_all(reader, 0, 100, Stream::both, &gap), "one\ntw");
  EXPECT_EQ(gap, 8);
  TailSearch tail(reader, 1, Stream::both);
  EXPECT_TRUE(tail.search().value_or(false));
  EXPECT_EQ(tail.begin(), 0U);  // The line that the gap cuts is not counted.
}

// The reserve of a finished run can be removed; the head and the newest two segments stay.
TEST(OutputFiles, TheReserveIsRemoved) {
  const TemporaryDirectory directory;
  OutputWriter writer(directory.fd.get(), kKept, true);
  writer.append(Stream::out, std::string(200, 'x'), 1);
  OutputReader reader(directory.path);
  EXPECT_EQ(read_all(reader, 0, 1000, Stream::both).size(), 200);
  remove_reserve(directory.path);
  std::uint64_t gap = 0;
  OutputReader later(directory.path);
  EXPECT_EQ(read_all(later, 0, 1000, Stream::both, &gap).size(), 200 - writer.not_kept());
  EXPECT_EQ(gap, writer.not_kept());
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

// A program that prints byte by byte fills the index; from then on its last record grows. The tail
// is found and read inside that record, however far back the record begins.
TEST(OutputFiles, TheTailIsFoundInsideALargeRecord) {
  const TemporaryDirectory directory;
  const IndexHeader header{.head_bytes_max = 1 << 30, .segment_bytes_max = 1 << 20};
  std::string printed;
  while (printed.size() <= 2 * limits::kLogReadBytesMax) printed += "line\n";
  printed += "the last\none\n";
  const IndexRecord first{.offset = 0, .wall_ms = 1, .length = 2, .stream = 1, .reserved = 0};
  const IndexRecord merged{.offset = 2,
                           .wall_ms = 1,
                           .length = static_cast<std::uint32_t>(printed.size() - 2),
                           .stream = 0,
                           .reserved = 0};
  std::string index(reinterpret_cast<const char*>(&header), sizeof header);
  index.append(reinterpret_cast<const char*>(&first), sizeof first);
  index.append(reinterpret_cast<const char*>(&merged), sizeof merged);
  std::ofstream(directory.path + "/index", std::ios::binary) << index;
  std::ofstream(directory.path + "/output", std::ios::binary) << printed;
  for (const Stream stream : {Stream::both, Stream::out}) {
    OutputReader reader(directory.path);
    TailSearch tail(reader, 2, stream);
    while (!tail.search().value()) {
    }
    EXPECT_EQ(read_all(reader, tail.begin(), limits::kLogReadBytesMax, stream), "the last\none\n");
  }
}

// Without output there are no files: a directory without output is an empty output.
TEST(OutputFiles, CreatesNoFilesWithoutOutput) {
  const TemporaryDirectory directory;
  OutputWriter writer(directory.fd.get(), kKept);
  writer.append(Stream::out, "", 1);
  EXPECT_TRUE(fs::is_empty(directory.path));
  OutputReader reader(directory.path);
  EXPECT_EQ(reader.size().value_or(1), 0U);
  TailSearch tail(reader, 10, Stream::both);
  EXPECT_TRUE(tail.search().value_or(false));
  EXPECT_EQ(tail.begin(), 0U);
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
  writer.append(Stream::out, "last\n", 5010);
  OutputReader reader(directory.path);
  std::uint64_t next = 0;
  const auto pieces = reader.read(0, 1000, Stream::both, &next);
  ASSERT_TRUE(pieces);
  ASSERT_EQ(pieces->size(), 4U);
  EXPECT_EQ(pieces->at(0).bytes, "one line\n");
  EXPECT_EQ(pieces->at(0).time, 1000);
  EXPECT_EQ(pieces->at(1).stream, Stream::err);
  EXPECT_EQ(pieces->at(1).offset, 9U);
  EXPECT_EQ(pieces->at(2).time, 5000);
  EXPECT_EQ(pieces->at(3).bytes, "last\n");
  EXPECT_EQ(pieces->at(3).time, 5010);
}

// How often this process has called the kernel to read; 0: the kernel does not count it.
std::uint64_t read_calls() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::uint64_t count = 0;
  while (file >> name >> count) {
    if (name == "syscr:") return count;
  }
  return 0;
}

// A program that prints byte by byte, alternately to both streams: one record for each byte.
void print_bytes(const TemporaryDirectory& directory, int count) {
  OutputWriter writer(directory.fd.get(), 1 << 20);
  for (int i = 0; i < count; ++i) {
    writer.append(i % 2 == 0 ? Stream::out : Stream::err, i % 10 == 0 ? "\n" : "x", 1000);
  }
}

// Tiny records are read in blocks, forwards and backwards, and not with a call for each.
TEST(OutputFiles, TinyRecordsAreReadInBlocks) {
  const TemporaryDirectory directory;
  print_bytes(directory, 10'000);
  OutputReader reader(directory.path);
  const std::uint64_t before = read_calls();
  if (before == 0) GTEST_SKIP() << "the kernel does not count reads";
  EXPECT_EQ(read_all(reader, 0, 1 << 20, Stream::both).size(), 10'000U);
  TailSearch tail(reader, 900, Stream::both);
  while (!tail.search().value()) continue;
  EXPECT_EQ(tail.begin(), 1'001U);
  EXPECT_LT(read_calls() - before, 1'000U);
}

// A read ends at its number of pieces, and says so; the next one continues there. Neighbors of one
// stream are joined on request.
TEST(OutputFiles, ReadsEndAtTheirBounds) {
  const TemporaryDirectory directory;
  print_bytes(directory, 1'000);
  OutputReader reader(directory.path);
  std::uint64_t next = 0;
  const auto first = reader.read(0, {.bytes = 1 << 20, .pieces = 300}, Stream::both, &next).value();
  EXPECT_EQ(first.size(), 300U);
  EXPECT_EQ(next, 300U);
  EXPECT_TRUE(reader.is_cut());
  EXPECT_EQ(reader.read(next, {.bytes = 1 << 20}, Stream::both, &next)->size(), 700U);
  EXPECT_FALSE(reader.is_cut());
  // Records of the other stream count as well.
  const auto few = reader.read(0, {.bytes = 1 << 20, .records = 10}, Stream::err, &next).value();
  EXPECT_EQ(few.size(), 5U);
  EXPECT_EQ(next, 10U);
  EXPECT_TRUE(reader.is_cut());

  const TemporaryDirectory other;
  OutputWriter writer(other.fd.get(), 1 << 20);
  for (int i = 0; i < 5; ++i) writer.append(Stream::out, "out", 1000 * i);
  writer.append(Stream::err, "err", 9000);
  OutputReader joining(other.path);
  const auto joined =
      joining.read(0, {.bytes = 1 << 20, .join = OutputReader::Join::stream}, Stream::both, &next)
          .value();
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[0].bytes, "outoutoutoutout");
  EXPECT_EQ(joined[1].bytes, "err");
  const auto all =
      joining.read(0, {.bytes = 1 << 20, .join = OutputReader::Join::all}, Stream::both, &next)
          .value();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].bytes, "outoutoutoutouterr");
}

// A filtered read through many records asks again and again whether to continue.
TEST(OutputFiles, LongReadsCanBeStopped) {
  const TemporaryDirectory directory;
  print_bytes(directory, 10'000);
  OutputReader reader(directory.path);
  int asked = 0;
  reader.check_with([&]() -> Result<> {
    if (++asked < 3) return {};
    return fail(ErrorCode::unavailable, "canceled", "enough");
  });
  std::uint64_t next = 0;
  const auto pieces = reader.read(0, {.bytes = 1 << 20}, Stream::err, &next);
  ASSERT_FALSE(pieces);
  EXPECT_EQ(pieces.error().reason, "canceled");
  EXPECT_LT(next, 1'000U);
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
    ::_exit(writer.offset() == 1510 && writer.not_kept() == 510 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  OutputReader reader(directory.path);
  reader.expect(1510);
  std::uint64_t gap = 0;
  EXPECT_EQ(read_all(reader, 0, 100, Stream::out, &gap), std::string(1000, 'x'));
  EXPECT_EQ(gap, 510);
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
    if (writer.not_kept() != 4) ::_exit(1);
    const rlimit wide{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &wide);
    writer.append(Stream::out, "three\n", 200);
    ::_exit(writer.not_kept() == 0 ? 0 : 2);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  OutputReader reader(directory.path);
  EXPECT_EQ(read_all(reader, 0, 100, Stream::both), "one\ntwo\nthree\n");
}

}  // namespace
}  // namespace drover
