// Fuzzes the index of a run's output, of the head and of two segments of the tail. A reader reaches
// an end; it returns the bytes at their offsets and no others, or reports that the files are
// damaged.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/output_file.h"
#include "base/output_tail.h"
#include "testing/directory.h"

namespace drover {
namespace {

// The fixed part of an input. The rest is records: the first half of the head, the second half of
// both segments.
struct Input {
  std::uint64_t head_bytes_max, segment_bytes_max, offset, printed;
  std::uint32_t segments[2];  // Their numbers; 0: none.
  std::uint16_t sizes[3];     // Of the head and the segments; modulo kBytesMax.
  std::uint16_t bytes_max;
  std::uint8_t stream, lines;
};

constexpr int kBytesMax = 256;  // Enough for every case, and quick.

constexpr char byte_at(std::uint64_t place) {
  return place % 11 == 0 ? '\n' : static_cast<char>('a' + place % 23);
}

class Files {
 public:
  Files(const Input& input, std::string_view records) : input_(input) {
    header_.head_bytes_max = input.head_bytes_max;
    header_.segment_bytes_max = input.segment_bytes_max;
    const std::string_view head = records.substr(0, records.size() / 2);
    put("", head, input.sizes[0]);
    for (int i = 0; i < 2; ++i) {
      if (input.segments[i] == 0) continue;
      put("." + std::to_string(input.segments[i]), records.substr(head.size()), input.sizes[i + 1]);
    }
  }
  const std::string& path() const { return directory_.path(); }

  // Reads everything from an offset on, in portions, and checks each piece.
  void expect_pieces(std::uint64_t offset) const {
    OutputReader reader(path());
    reader.expect(input_.printed);
    const size_t bytes_max = 1 + input_.bytes_max;
    const auto stream = static_cast<Stream>(input_.stream % 3);
    for (int reads = 0;; ++reads) {
      std::uint64_t next = 0;
      const auto pieces = reader.read(offset, bytes_max, stream, &next);
      if (!pieces) return;
      size_t bytes = 0;
      for (const OutputPiece& piece : *pieces) {
        if (piece.offset < offset || piece.end() <= piece.offset) std::abort();
        offset = piece.end();
        bytes += piece.bytes.size();
        if (!piece.is_gap()) expect_bytes(piece);
      }
      if (bytes > bytes_max || next < offset) std::abort();
      if (pieces->empty()) return;
      offset = next;
      if (reads > kReadsMax) std::abort();
    }
  }

 private:
  // More than there can be bytes and gaps.
  static constexpr int kReadsMax = 3 * kBytesMax;

  void put(const std::string& suffix, std::string_view records, std::uint16_t size) {
    std::string index(reinterpret_cast<const char*>(&header_), sizeof header_);
    (void)replace_file(directory_.file("index" + suffix), index.append(records));
    std::string data(size, '\0');
    for (size_t i = 0; i < data.size(); ++i) data[i] = byte_at(i);
    (void)replace_file(directory_.file("output" + suffix), data);
  }
  void expect_bytes(const OutputPiece& piece) const {
    const std::uint64_t number = header_.number_of(piece.offset);
    const std::uint64_t at = piece.offset - header_.begin_of(number);
    const int file = number == 0 ? 0 : number == input_.segments[0] ? 1 : 2;
    if (file == 2 && number != input_.segments[1]) std::abort();
    if (at + piece.bytes.size() > input_.sizes[file]) std::abort();
    for (size_t i = 0; i < piece.bytes.size(); ++i) {
      if (piece.bytes[i] != byte_at(at + i)) std::abort();
    }
  }

  const Input input_;
  IndexHeader header_;
  testing::TestDirectory directory_{testing::DirectoryPlace::memory};
};

void expect_tail(const std::string& path, std::uint64_t lines, Stream stream) {
  OutputReader reader(path);
  TailSearch tail(reader, lines, stream);
  while (true) {
    const auto done = tail.search();
    if (!done || *done) break;
  }
  const auto size = reader.size();
  if (size && tail.begin() > *size) std::abort();
}

}  // namespace
}  // namespace drover

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace drover;
  Input input;
  if (size < sizeof input) return 0;
  std::memcpy(&input, data, sizeof input);
  for (std::uint16_t& bytes : input.sizes) bytes %= kBytesMax;
  const Files files(input,
                    {reinterpret_cast<const char*>(data) + sizeof input, size - sizeof input});
  files.expect_pieces(0);
  files.expect_pieces(input.offset);
  expect_tail(files.path(), input.lines, static_cast<Stream>(input.stream % 3));
  remove_reserve(files.path());
  OutputReader reader(files.path());
  std::uint64_t next = 0;
  (void)reader.read(0, 1 << 20, Stream::both, &next);
  return 0;
}
