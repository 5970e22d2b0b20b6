// The output files of a run contain what its command printed, in the order of arrival. The keeper
// writes them, the daemon reads them while they grow; docs/keeper-files.md describes each byte.
//
//   output      the head: plain bytes of both streams, made for cat
//   index       a header, then fixed-size records: which bytes came from which stream, and when
//   output.N    the tail, once the head is full: segments of equal size, of which the newest two
//   index.N     are kept, each with its index; with an exact reader, also those it has not read
//
// Bytes are addressed by their logical offset: the number of bytes printed before them. Data is
// written before its record, so every byte that a record names exists, unless a power cut lost it.
// A gap is a range of offsets whose bytes are not kept: no record covers bytes that were rotated
// away or that a full disk did not take.
//
// An exact reader is a client that passes on every byte, such as `drover run` in the foreground.
// The reserve is the older segments of the tail that the writer keeps until this client has read
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/output_segments.h"
#include "base/result.h"

namespace drover {

// The keeper's side. Creates no file until the first byte arrives: most short commands print
// nothing, and creating a file is the most expensive thing a keeper does.
class OutputWriter {
 public:
  // `directory` must outlive the writer; as long as it is -1, all bytes are dropped. At most
  // `bytes_max` bytes stay on disk. With `has_reader`, bytes that the exact reader has not read
  // stay as well, up to the reserve (limits::kOutputReserveBytes), and segments are larger.
  OutputWriter(int directory, std::uint64_t bytes_max, bool has_reader = false)
      : directory_(directory),
        header_{.head_bytes_max = bytes_max / 2,
                .segment_bytes_max =
                    std::max(bytes_max / 4, has_reader ? limits::kOutputReserveSegmentBytes : 0)},
        has_reader_(has_reader) {}

  void live_in(int directory) { directory_ = directory; }

  // Never blocks on a full disk: the bytes that do not fit are dropped and counted, so that the
  // command continues.
  void append(Stream stream, std::string_view bytes, WallMs now);

  // How many bytes can be appended without losing any that the exact reader has not read.
  std::uint64_t room() const;
  bool has_reader() const { return has_reader_; }
  // The exact reader has read all bytes before `offset`. There is one again if it was forgotten.
  void was_read_to(std::uint64_t offset);
  // The exact reader is gone: only `bytes_max` bytes stay.
  void forget_reader();
  // Multiplies the reserve, for the last output of a command that is ending: an end must not wait
  // for a reader.
  void widen_reserve(std::uint64_t times) { reserve_times_ = std::max(reserve_times_, times); }
  // These bytes were printed, but there is no place for them.
  void lose(std::uint64_t bytes);
  // The command has finished. Without an exact reader, only `bytes_max` bytes stay from now on.
  void finish();

  std::uint64_t offset() const { return offset_; }
  // Bytes that were not stored, that no record covers, or that are beyond `bytes_max`.
  std::uint64_t not_kept() const;

 private:
  std::uint64_t begin_segment();
  bool open_segment(std::uint64_t number);
  bool make_head();
  void drop(std::uint64_t bytes);
  void remove_old_segments();
  void note(Stream stream, std::uint32_t length, WallMs now);

  int directory_;
  IndexHeader header_;
  Fd data_, index_;
  std::uint64_t segment_ = 0;  // 0 is the head.
  bool has_head_ = false;
  std::uint64_t oldest_ = 1;  // The first tail segment that was not removed.
  std::uint64_t offset_ = 0;  // Logical: bytes printed so far.
  std::uint64_t read_to_ = 0;
  bool has_reader_;
  std::uint64_t reserve_times_ = 1;
  std::uint64_t unrecorded_ = 0;  // Bytes after the last record.
  // Bytes that are missing in the head, the last segment but one, and the last.
  std::uint64_t head_lost_ = 0, before_lost_ = 0, lost_ = 0;
  IndexRecord last_;  // As it is on disk.
  std::uint32_t records_ = 0;
};

// Bytes, or a gap: bytes that are not kept.
struct OutputPiece {
  std::uint64_t offset = 0;
  Stream stream = Stream::out;
  WallMs time = 0;
  std::string bytes;
  std::uint64_t gap_bytes = 0;  // Set instead of `bytes`: the size of a gap.
  bool is_mixed = false;        // Bytes of both streams; which ones are whose is not known.

  bool is_gap() const { return gap_bytes > 0; }
  std::uint64_t end() const { return offset + gap_bytes + bytes.size(); }
};

// The daemon's side: reads what is on disk now. Not thread-safe; cheap to create.
class OutputReader {
 public:
  explicit OutputReader(std::string path) : segments_(std::move(path)) {}

  // The run has finished and has printed this many bytes: those that are missing are a gap.
  void expect(std::uint64_t printed) { printed_ = printed; }

  // The logical end now; 0 for a directory without output.
  Result<std::uint64_t> size();

  // Which pieces become one, with the time of the first.
  enum class Join : std::uint8_t {
    none,
    stream,  // Neighbors of one stream.
    all,     // Everything between two gaps; only its bytes are wanted.
  };
  // The bounds of one read. It ends at whichever bound it meets first; `is_cut` says so.
  struct Bounds {
    size_t bytes = 0;
    size_t pieces = limits::kOutputPiecesMax;
    // Records that are looked at, of any stream. 0: all; then `check` bounds the time.
    size_t records = 0;
    Join join = Join::none;
  };

  // Pieces from `offset` on, in order, about `bounds.bytes` bytes of the wanted stream. Gaps are
  // among them, whichever stream is wanted. `*next` is the offset to continue from.
  Result<std::vector<OutputPiece>> read(std::uint64_t offset, const Bounds& bounds, Stream stream,
                                        std::uint64_t* next);
  Result<std::vector<OutputPiece>> read(std::uint64_t offset, size_t bytes_max, Stream stream,
                                        std::uint64_t* next) {
    return read(offset, Bounds{.bytes = bytes_max}, stream, next);
  }
  // Whether the last read met a bound. Otherwise it came to the end.
  bool is_cut() const { return is_cut_; }

  // `check` is called between two portions of a read; its error ends the read. A filtered read of
  // a large output takes long: its caller may be gone meanwhile.
  void check_with(std::function<Result<>()> check) { check_ = std::move(check); }

 private:
  friend class TailSearch;
  struct Wanted;
  Result<> read_segment(const OutputSegments::Segment& segment, Wanted& wanted);

  OutputSegments segments_;
  std::uint64_t printed_ = 0;  // 0: not known.
  std::function<Result<>()> check_ = {};
  bool is_cut_ = false;
};

// Whether a record's bytes belong to `filter`. A record of both streams is only returned whole.
inline bool is_wanted(std::uint16_t stream, Stream filter) {
  return filter == Stream::both || stream == 0 || stream == static_cast<std::uint16_t>(filter);
}

}  // namespace drover
