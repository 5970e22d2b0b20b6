#include "triggers/time/offsets.h"

#include <algorithm>

#include "triggers/time/limits.h"

namespace drover::triggers {

Offsets::Offsets(std::vector<OffsetChange> changes) {
  spans_.push_back({.offset_s = changes.empty() ? 0 : changes.front().offset_s});
  for (const OffsetChange& change : changes) {
    if (change.at >= kTimeEndS) break;
    Span& last = spans_.back();
    if (change.at <= last.begin) {
      last.offset_s = change.offset_s;
    } else if (change.offset_s != last.offset_s) {
      spans_.push_back({.begin = change.at, .offset_s = change.offset_s});
    }
  }
  LocalS peak = std::numeric_limits<LocalS>::min();
  for (size_t i = 0; i < spans_.size(); ++i) {
    Span& span = spans_[i];
    span.end = i + 1 < spans_.size() ? spans_[i + 1].begin : kTimeEndS;
    peak = std::max(peak, span.end - 1 + span.offset_s);
    span.peak = peak;
  }
}

size_t Offsets::index_at(UnixS time) const {
  const auto after = std::ranges::upper_bound(spans_, time, {}, &Span::begin);
  return after == spans_.begin() ? 0 : static_cast<size_t>(after - spans_.begin()) - 1;
}

LocalS Offsets::latest_before(UnixS time) const {
  const size_t index = index_at(time - 1);
  const LocalS shown = time - 1 + spans_[index].offset_s;
  return index == 0 ? shown : std::max(shown, spans_[index - 1].peak);
}

std::optional<UnixS> Offsets::first_reaching(LocalS time) const {
  const auto span = std::ranges::lower_bound(spans_, time, {}, &Span::peak);
  if (span == spans_.end()) return std::nullopt;
  return std::max(span->begin, time - span->offset_s);
}

}  // namespace drover::triggers
