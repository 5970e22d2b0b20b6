// Offsets are the differences between a zone's wall clock and UTC over time: a list of spans, each
// with one offset, from 1970 to 2200. Pure and immutable; any thread may read them.
//
// A wall clock jumps where two spans meet. Forward, it skips local times (a gap); backward, it
// shows some twice (a repeat). Both functions below rest on one idea, the first instant at which
// the clock shows a local time *or a later one*. Outside of jumps it is the instant that shows this
// time; for a time in a gap it is the end of the gap; for a time in a repeat it is the first pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "triggers/time/local_times.h"

namespace drover::triggers {

using UnixS = std::int64_t;  // Seconds since 1970, UTC.

struct OffsetChange {
  UnixS at = 0;
  std::int64_t offset_s = 0;  // East is positive. In force from `at` on.
};

class Offsets {
 public:
  struct Span {
    UnixS begin = 0;
    UnixS end = 0;  // Not included.
    std::int64_t offset_s = 0;
    LocalS peak = 0;  // The latest local time that the clock has shown up to the end of this span.
  };

  // `changes` in order; the first one is in force since 1970. Changes to the same offset (a new
  // abbreviation) and those after 2200 are dropped. Without any change: UTC.
  explicit Offsets(std::vector<OffsetChange> changes = {});

  std::span<const Span> spans() const { return spans_; }

  // The span that contains `time`: the first one for times before 1970, the last one after 2200.
  size_t index_at(UnixS time) const;

  // The latest local time that the clock showed before `time`.
  LocalS latest_before(UnixS time) const;

  // The first instant at which the clock shows `time` or a later one; nullopt if that is after
  // 2200.
  std::optional<UnixS> first_reaching(LocalS time) const;

 private:
  std::vector<Span> spans_;  // Never empty.
};

}  // namespace drover::triggers
