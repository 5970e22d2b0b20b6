#include <algorithm>

#include "base/output_file.h"

namespace drover {

// What a read still has to fill.
struct OutputReader::Wanted {
  Stream stream;
  size_t left;
  std::uint64_t& next;
  std::vector<OutputPiece> pieces;

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
  for (std::uint64_t i = *first; i < s.records && wanted.left > 0; ++i) {
    const auto r = segments_.record(s, i);
    if (!r) return std::unexpected(r.error());
    const std::uint64_t end = std::min<std::uint64_t>(r->offset + r->length, s.end());
    if (end <= wanted.next) continue;
    wanted.skip_to(r->offset);
    if (!is_wanted(r->stream, wanted.stream)) {
      wanted.next = end;
      continue;
    }
    const size_t length = std::min<std::uint64_t>(end - wanted.next, wanted.left);
    auto text = segments_.bytes(s, wanted.next, length);
    if (!text) return std::unexpected(text.error());
    if (text->empty()) break;
    wanted.left -= text->size();
    const bool is_mixed = r->stream == static_cast<std::uint16_t>(Stream::both);
    wanted.pieces.push_back({.offset = wanted.next,
                             .stream = is_mixed ? Stream::out : static_cast<Stream>(r->stream),
                             .time = r->wall_ms,
                             .bytes = std::move(*text),
                             .is_mixed = is_mixed});
    wanted.next = wanted.pieces.back().end();
  }
  return {};
}

Result<std::vector<OutputPiece>> OutputReader::read(std::uint64_t offset, size_t bytes_max,
                                                    Stream stream, std::uint64_t* next) {
  *next = offset;
  Wanted wanted{.stream = stream, .left = bytes_max, .next = *next, .pieces = {}};
  if (auto ok = segments_.refresh(); !ok) return std::unexpected(ok.error());
  const std::uint64_t first =
      segments_.numbers().empty() ? 0 : segments_.header().number_of(offset);
  std::vector<std::uint64_t> numbers = segments_.numbers();
  std::erase_if(numbers, [&](std::uint64_t number) { return number < first; });
  if (!numbers.empty() && numbers.front() != first) numbers.insert(numbers.begin(), first);
  for (const std::uint64_t number : numbers) {
    if (wanted.left == 0) return std::move(wanted.pieces);
    const auto segment = segments_.open(number);
    if (!segment) return std::unexpected(segment.error());
    if (*segment == nullptr) continue;
    wanted.skip_to((*segment)->begin);
    if (auto ok = read_segment(**segment, wanted); !ok) return std::unexpected(ok.error());
  }
  if (wanted.left > 0) wanted.skip_to(printed_);
  return std::move(wanted.pieces);
}

}  // namespace drover
