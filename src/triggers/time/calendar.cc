#include "triggers/time/calendar.h"

#include <algorithm>
#include <limits>

#include "triggers/time/limits.h"
#include "triggers/time/local_times.h"
#include "triggers/time/offsets.h"

namespace drover::triggers {
namespace {

constexpr LocalS kNever = std::numeric_limits<LocalS>::max();

// The first whole second at or after `time`, within the times that schedules know.
UnixS ceil_s(WallMs time) {
  if (time <= 0) return 0;
  if (time >= kTimeEndMs) return kTimeEndS;
  return (time + 999) / 1'000;
}

std::optional<UnixS> next_fixed(const Cron& cron, const Offsets& offsets, UnixS from) {
  // Local times up to the latest that the clock has shown have run already.
  const auto local = next_local(cron, offsets.latest_before(from) + 1);
  return local ? offsets.first_reaching(*local) : std::nullopt;
}

std::optional<UnixS> next_wildcard(const Cron& cron, const Offsets& offsets, UnixS from) {
  // No local time of the cron lies in [searched, found): spans that begin in it need no new search.
  LocalS searched = kNever;
  LocalS found = 0;
  for (const Offsets::Span& span : offsets.spans().subspan(offsets.index_at(from))) {
    const LocalS begin = std::max(from, span.begin) + span.offset_s;
    if (begin < searched || begin > found) {
      searched = begin;
      found = next_local(cron, begin).value_or(kNever);
    }
    if (found < span.end + span.offset_s) return found - span.offset_s;
  }
  return std::nullopt;
}

// In [first, last] of one span. Fixed local times that the jump at the span's begin skipped run
// together at this begin, as one time.
std::int64_t count_fixed(const Cron& cron, const Offsets& offsets, const Offsets::Span& span,
                         UnixS first, UnixS last) {
  const LocalS shown = offsets.latest_before(first);
  const LocalS at_first = first + span.offset_s;
  const std::int64_t skipped = count_local(cron, shown + 1, at_first) > 0 ? 1 : 0;
  return skipped + count_local(cron, std::max(shown, at_first) + 1, last + span.offset_s);
}

}  // namespace

std::optional<WallMs> next_time(const Cron& cron, const Zone& zone, WallMs after) {
  if (after >= kTimeEndMs) return std::nullopt;
  const UnixS from = ceil_s(std::max<WallMs>(after, -1) + 1);
  if (from >= kTimeEndS) return std::nullopt;
  const auto found = cron.is_wildcard ? next_wildcard(cron, zone.offsets(), from)
                                      : next_fixed(cron, zone.offsets(), from);
  if (!found) return std::nullopt;
  return *found * 1'000;
}

std::int64_t count_times(const Cron& cron, const Zone& zone, WallMs first, WallMs last) {
  const Offsets& offsets = zone.offsets();
  const UnixS begin = ceil_s(first);
  const UnixS end = last < 0 ? 0 : std::min(last / 1'000 + 1, kTimeEndS);  // Not included.
  std::int64_t out = 0;
  for (const Offsets::Span& span : offsets.spans().subspan(offsets.index_at(begin))) {
    const UnixS from = std::max(begin, span.begin);
    const UnixS to = std::min(end, span.end) - 1;
    if (from > to) break;
    out += cron.is_wildcard ? count_local(cron, from + span.offset_s, to + span.offset_s)
                            : count_fixed(cron, offsets, span, from, to);
  }
  return out;
}

}  // namespace drover::triggers
