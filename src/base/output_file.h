// The output files of a run contain what its command printed, in the order of arrival. The keeper
// writes them, the daemon reads them while they grow; docs/keeper-files.md describes each byte.
//
//   output      the head: plain bytes of both streams, made for cat
//   index       a header, then fixed-size records: which bytes came from which stream, and when
//   output.N    the tail, once the head is full: segments of equal size, of which the newest two
//   index.N     are kept, each with its index
//
// Bytes are addressed by their logical offset: the number of bytes printed before them. Data is
// written before its record, so every byte that a record names exists.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace drover {

enum class Stream : std::uint16_t { both = 0, out = 1, err = 2 };

struct IndexHeader {
  std::array<char, 8> magic{'D', 'R', 'V', 'I', 'D', 'X', '1', '\n'};
  std::uint64_t head_bytes_max = 0;
  std::uint64_t segment_bytes_max = 0;
};

struct IndexRecord {
  std::uint64_t offset = 0;
  std::int64_t wall_ms = 0;
  std::uint32_t length = 0;
  std::uint16_t stream = 0;
  std::uint16_t reserved = 0;
};
static_assert(sizeof(IndexHeader) == 24 && sizeof(IndexRecord) == 24);

// The keeper's side. Creates no file until the first byte arrives: most short commands print
// nothing, and creating a file is the most expensive thing a keeper does.
class OutputWriter {
 public:
  // `directory` must outlive the writer; as long as it is -1, everything is dropped. At most
  // `bytes_max` bytes stay on disk.
  OutputWriter(int directory, std::uint64_t bytes_max)
      : directory_(directory),
        header_{.head_bytes_max = bytes_max / 2, .segment_bytes_max = bytes_max / 4} {}

  void live_in(int directory) { directory_ = directory; }

  // Never blocks on a full disk: the bytes that do not fit are dropped and counted, so that the
  // command continues.
  void append(Stream stream, std::string_view bytes, WallMs now);

  std::uint64_t offset() const { return offset_; }
  // Bytes that were not stored, or that cannot be read because no record covers them.
  std::uint64_t dropped() const { return dropped_ + unrecorded_; }

 private:
  bool open_segment(std::uint64_t number);
  void note(Stream stream, std::uint32_t length, WallMs now);

  int directory_;
  IndexHeader header_;
  Fd data_, index_;
  std::uint64_t segment_ = 0;  // 0 is the head.
  bool open_ = false;
  std::uint64_t offset_ = 0;  // Logical: bytes written so far, rotated ones included.
  std::uint64_t room_ = 0;    // In the open segment.
  std::uint64_t dropped_ = 0;
  std::uint64_t unrecorded_ = 0;  // Bytes after the last record.
  IndexRecord last_;              // As it is on disk.
  std::uint32_t records_ = 0;
};

struct OutputPiece {
  std::uint64_t offset = 0;
  Stream stream = Stream::out;
  WallMs time = 0;
  std::string bytes;
};

// The daemon's side: reads what is on disk now. Not thread-safe; cheap to create.
class OutputReader {
 public:
  explicit OutputReader(std::string path) : path_(std::move(path)) {}

  // The logical end now; 0 for a directory without output.
  Result<std::uint64_t> size();

  // Whether all of the `printed` bytes are stored: none was rotated away or dropped by a full disk.
  Result<bool> holds_all(std::uint64_t printed);

  // Pieces from `offset` on, in order, about `bytes_max` bytes of the wanted stream. `*next` is the
  // offset to continue from; bytes that were rotated away are skipped.
  Result<std::vector<OutputPiece>> read(std::uint64_t offset, size_t bytes_max, Stream stream,
                                        std::uint64_t* next);

  // The offset at which the last `lines` lines of the stream begin.
  Result<std::uint64_t> tail_offset(size_t lines, Stream stream);

 private:
  struct Segment {
    std::uint64_t number = 0;
    std::uint64_t begin = 0;  // Logical offset of its first byte.
    std::uint64_t size = 0;
    std::uint64_t records = 0;
    Fd data, index;
  };
  Result<> refresh();
  Result<> open_directory();
  Result<> open_head();
  Result<> open_segment(std::uint64_t number, std::uint64_t begin);
  Result<IndexRecord> record(const Segment& segment, std::uint64_t i) const;
  Result<std::string> bytes(const Segment& segment, std::uint64_t offset, size_t length) const;
  // The record that covers `offset`, or the first after it.
  Result<std::uint64_t> find(const Segment& segment, std::uint64_t offset) const;

  std::string path_;
  Fd directory_;
  IndexHeader header_;
  std::vector<Segment> segments_;
};

}  // namespace drover
