#include "base/output_tail.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace drover {
namespace {

constexpr std::uint64_t kPortionBytes = 1 << 20;
constexpr int kPortionRecords = 4'096;

}  // namespace

Result<> TailSearch::start() {
  started_ = true;
  if (auto ok = segments_.refresh(); !ok) return ok;
  numbers_ = segments_.numbers();
  const auto more = next_segment();
  if (!more) return std::unexpected(more.error());
  if (*more) begin_ = segment_->end();
  return {};
}

// False: there is no other segment.
Result<bool> TailSearch::next_segment() {
  for (segment_ = nullptr; segment_ == nullptr && !numbers_.empty(); numbers_.pop_back()) {
    const auto opened = segments_.open(numbers_.back());
    if (!opened) return std::unexpected(opened.error());
    segment_ = *opened;
  }
  if (segment_ != nullptr) records_ = segment_->records;
  return segment_ != nullptr;
}

// Counts the lines that begin in these bytes; true: enough.
Result<bool> TailSearch::count(const OutputSegments::Segment& s, std::uint64_t from,
                               std::uint64_t to) {
  const auto text = segments_.bytes(s, from, to - from);
  if (!text) return std::unexpected(text.error());
  for (size_t i = text->size(); i-- > 0;) {
    const bool is_end = std::exchange(at_end_, false);
    if ((*text)[i] != '\n' || std::exchange(behind_gap_, false) || is_end) continue;
    if (++found_ == lines_) {
      begin_ = from + i + 1;
      return true;
    }
  }
  begin_ = from;
  return false;
}

Result<bool> TailSearch::search() {
  if (!started_) {
    if (auto ok = start(); !ok) return std::unexpected(ok.error());
  }
  if (segment_ == nullptr || lines_ == 0) return true;
  std::uint64_t searched = 0;
  for (int looked_at = 0; searched < kPortionBytes && looked_at < kPortionRecords; ++looked_at) {
    while (records_ == 0) {
      const auto more = next_segment();
      if (!more) return std::unexpected(more.error());
      if (!*more) return true;
    }
    const auto r = segments_.record(*segment_, records_ - 1);
    if (!r) return std::unexpected(r.error());
    const std::uint64_t end =
        rest_ != 0 ? rest_ : std::min<std::uint64_t>(r->offset + r->length, segment_->end());
    if (rest_ == 0 && end < reached_) {
      behind_gap_ = true;
      // The last line of all counts, although the gap has cut its beginning.
      if (found_ == 0 && !at_end_ && ++found_ == lines_) return true;
    }
    reached_ = r->offset;
    if (!is_wanted(r->stream, stream_)) {
      --records_;
      continue;
    }
    if (end <= r->offset) {  // Its bytes are lost.
      --records_;
      continue;
    }
    const std::uint64_t from =
        std::max(r->offset, end - std::min<std::uint64_t>(end, limits::kLogChunkBytes));
    rest_ = from > r->offset ? from : 0;
    if (rest_ == 0) --records_;
    const auto enough = count(*segment_, from, end);
    if (!enough || *enough) return enough;
    searched += end - from;
  }
  return false;
}

}  // namespace drover
