// The segments of a run's output as they are on disk now (base/output_file.h): the head, and the
// part of the tail that was not rotated away. Opens at most one of the tail at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/result.h"

namespace drover {

enum class Stream : std::uint16_t { both = 0, out = 1, err = 2 };

struct IndexHeader {
  std::array<char, 8> magic{'D', 'R', 'V', 'I', 'D', 'X', '1', '\n'};
  std::uint64_t head_bytes_max = 0;
  std::uint64_t segment_bytes_max = 0;

  // The logical offset of a segment's first byte, and of the first byte after it.
  std::uint64_t begin_of(std::uint64_t number) const {
    return number == 0 ? 0 : head_bytes_max + (number - 1) * segment_bytes_max;
  }
  std::uint64_t end_of(std::uint64_t number) const { return begin_of(number + 1); }
  // Whether those are numbers: nothing prints that much, but a file can have any name.
  bool can_have(std::uint64_t number) const {
    return number < (UINT64_MAX - head_bytes_max) / segment_bytes_max;
  }
  // The newest two segments are larger than the tail that is kept after the run: an exact reader
  // and a small limit. The tail is then cut to the size of the head (remove_reserve).
  bool is_wide() const { return 2 * segment_bytes_max > head_bytes_max; }
  // The segment that an offset lies in.
  std::uint64_t number_of(std::uint64_t offset) const {
    return offset < head_bytes_max ? 0 : 1 + (offset - head_bytes_max) / segment_bytes_max;
  }
};

struct IndexRecord {
  std::uint64_t offset = 0;
  std::int64_t wall_ms = 0;
  std::uint32_t length = 0;
  std::uint16_t stream = 0;
  std::uint16_t reserved = 0;
};
static_assert(sizeof(IndexHeader) == 24 && sizeof(IndexRecord) == 24);

class OutputSegments {
 public:
  struct Segment {
    std::uint64_t number = 0;
    std::uint64_t begin = 0;  // Logical offset of its first byte.
    std::uint64_t size = 0;
    std::uint64_t records = 0;
    Fd data = {}, index = {};

    std::uint64_t end() const { return begin + size; }
  };

  explicit OutputSegments(std::string path) : path_(std::move(path)) {}

  // Finds out which segments exist. Each of them but the last is complete. The first may be missing
  // here, because files are removed and created during the search: try to open it all the same.
  Result<> refresh();
  // Their numbers, in order; empty: there is no output.
  const std::vector<std::uint64_t>& numbers() const { return numbers_; }
  const IndexHeader& header() const { return header_; }

  // A segment with its current size; null: it was rotated away meanwhile. Valid until the next
  // call for another one.
  Result<const Segment*> open(std::uint64_t number);

  // As it was when its block was first read since the segment was opened.
  Result<IndexRecord> record(const Segment& segment, std::uint64_t i) const;
  // Fewer if the file is shorter.
  Result<std::string> bytes(const Segment& segment, std::uint64_t offset, size_t length) const;
  // The record that covers `offset`, or the first after it.
  Result<std::uint64_t> find(const Segment& segment, std::uint64_t offset) const;

 private:
  Result<> open_directory();
  Result<> open_head();
  Result<bool> open_files(Segment& segment) const;
  Result<IndexRecord> read_record(const Segment& segment, std::uint64_t i) const;
  Result<std::string> read_bytes(const Segment& segment, std::uint64_t begin, size_t length) const;
  bool is_sound(const Segment& segment, const IndexRecord& record) const;

  std::string path_;
  Fd directory_;
  IndexHeader header_;
  std::vector<std::uint64_t> numbers_;
  Segment head_, tail_;
  // Records are read in blocks: a program may print byte by byte, and a call of the kernel for each
  // of its records takes seconds.
  struct Block {
    std::uint64_t segment = 0;
    std::uint64_t first = 0;
    std::vector<IndexRecord> records = {};
  };
  mutable Block block_;
  // So are bytes, if they are asked for in small parts, forwards or backwards.
  struct Window {
    std::uint64_t segment = UINT64_MAX;
    std::uint64_t begin = 0;  // In the file.
    std::string bytes = {};
  };
  mutable Window window_;
};

// Removes what was kept for an exact reader beyond the limit: the segments of the tail but the
// newest two, and of wide ones all but the last bytes. Only for a run that has finished.
void remove_reserve(const std::string& path);

}  // namespace drover
