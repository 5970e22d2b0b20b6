#include <algorithm>
#include <utility>

#include "base/output_file.h"

namespace drover {

namespace {

// How many records are looked at between two calls of `check_`: some 10 µs.
constexpr size_t kCheckedRecords = 256;
// A larger record becomes several pieces: an answer may be six times as long, and ends between two.
constexpr size_t kPieceBytesMax = 1 << 20;

}  // namespace

// The part of a read that is still to be filled.
struct OutputReader::Wanted {
  Stream stream;
  Bounds left;
  std::uint64_t& next;
  std::vector<OutputPiece> pieces;
  size_t looked_at = 0;

  bool is_filled() const { return left.bytes == 0 || pieces.size() >= left.pieces; }
  bool is_enough() const { return is_filled() || (left.records > 0 && looked_at >= left.records); }

  // The bytes of `r` from `next` on.
  void add(const IndexRecord& r, std::string text) {
    const bool is_mixed = r.stream == static_cast<std::uint16_t>(Stream::both);
    const Stream from = is_mixed ? Stream::out : static_cast<Stream>(r.stream);
    left.bytes -= text.size();
    const std::uint64_t offset = std::exchange(next, next + text.size());
    OutputPiece* last = pieces.empty() ? nullptr : &pieces.back();
    const bool is_neighbor = last != nullptr && !last->is_gap() && last->end() == offset &&
                             last->stream == from && last->is_mixed == is_mixed;
    if ((left.join == Join::stream && is_neighbor) ||
        (left.join == Join::all && last != nullptr && !last->is_gap())) {
      last->bytes += text;
      return;
    }
    pieces.push_back({.offset = offset,
                      .stream = from,
                      .time = r.wall_ms,
                      .bytes = std::move(text),
                      .is_mixed = is_mixed});
  }

  // The bytes up to `offset` are not kept.
  void skip_to(std::uint64_t offset) {
    if (offset <= next) return;
    if (!pieces.empty() && pieces.back().is_gap() && pieces.back().end() == next) {
      pieces.back().gap_bytes += offset - next;
    } else {
      pieces.push_back({.offset = next, .bytes = {}, .gap_bytes = offset - next});
    }
    next = offset;
  }
};

Result<std::uint64_t> OutputReader::size() {
  if (auto ok = segments_.refresh(); !ok) return std::unexpected(ok.error());
  for (size_t i = segments_.numbers().size(); i-- > 0;) {
    const auto segment = segments_.open(segments_.numbers()[i]);
    if (!segment) return std::unexpected(segment.error());
    if (*segment != nullptr) return std::max((*segment)->end(), printed_);
  }
  return printed_;
}

Result<> OutputReader::read_segment(const OutputSegments::Segment& s, Wanted& wanted) {
  const auto first = segments_.find(s, wanted.next);
  if (!first) return std::unexpected(first.error());
  for (std::uint64_t i = *first; i < s.records && !wanted.is_enough(); ++wanted.looked_at) {
    if (check_ && wanted.looked_at % kCheckedRecords == 0) {
      if (auto ok = check_(); !ok) return ok;
    }
    const auto r = segments_.record(s, i);
    if (!r) return std::unexpected(r.error());
    const std::uint64_t end = std::min<std::uint64_t>(r->offset + r->length, s.end());
    if (end <= std::max(wanted.next, r->offset)) {  // Read before, or lost.
      ++i;
      continue;
    }
    wanted.skip_to(r->offset);
    if (!is_wanted(r->stream, wanted.stream)) {
      wanted.next = end;
      ++i;
      continue;
    }
    if (wanted.is_filled()) break;  // By a gap.
    const std::uint64_t rest = end - wanted.next;
    const size_t length =
        std::min<std::uint64_t>({rest, wanted.left.bytes, std::uint64_t{kPieceBytesMax}});
    auto text = segments_.bytes(s, wanted.next, length);
    if (!text) return std::unexpected(text.error());
    if (text->empty()) break;
    if (text->size() == rest) ++i;
    wanted.add(*r, std::move(*text));
  }
  return {};
}

Result<std::vector<OutputPiece>> OutputReader::read(std::uint64_t offset, const Bounds& bounds,
                                                    Stream stream, std::uint64_t* next) {
  *next = offset;
  Wanted wanted{.stream = stream, .left = bounds, .next = *next, .pieces = {}};
  is_cut_ = true;
  if (auto ok = segments_.refresh(); !ok) return std::unexpected(ok.error());
  const std::uint64_t first =
      segments_.numbers().empty() ? 0 : segments_.header().number_of(offset);
  std::vector<std::uint64_t> numbers = segments_.numbers();
  std::erase_if(numbers, [&](std::uint64_t number) { return number < first; });
  if (!numbers.empty() && numbers.front() != first) numbers.insert(numbers.begin(), first);
  for (const std::uint64_t number : numbers) {
    if (wanted.is_enough()) return std::move(wanted.pieces);
    const auto segment = segments_.open(number);
    if (!segment) return std::unexpected(segment.error());
    if (*segment == nullptr) continue;
    wanted.skip_to((*segment)->begin);
    if (auto ok = read_segment(**segment, wanted); !ok) return std::unexpected(ok.error());
  }
  if (wanted.is_enough()) return std::move(wanted.pieces);
  wanted.skip_to(printed_);
  is_cut_ = false;
  return std::move(wanted.pieces);
}

}  // namespace drover
