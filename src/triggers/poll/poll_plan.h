// The poll plan decides when a feed or page is asked next:
//
//  - After a poll that worked: the trigger's interval. If the user chose none, the longer of
//    kPollIntervalDefaultMs and the feed's ttl.
//  - After the nth error in a row: the interval doubled n times, up to kPollBackoffMaxMs (or the
//    interval, if that is longer), and not before the server's Retry-After, up to
//    kServerPauseMaxMs.
//  - Later by a jitter of up to a tenth, at most kPollJitterMaxMs, that depends on the seed and the
//    time: triggers that were added together do not ask together for ever.
//
// Pure: the caller gives the time. Times are wall-clock times, because they are stored.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "triggers/poll/poll_state.h"

namespace drover::triggers {

struct PollPlan {
  std::optional<std::int64_t> interval_ms = {};  // As the user chose it.
  std::uint64_t seed = 0;                        // A hash of the trigger's name.
};

// From kPollIntervalMinMs to kPollIntervalMaxMs. The error's param is `interval`.
Result<> check_poll_interval(std::int64_t interval_ms);

// The state with its next time. `ttl_ms` is the feed's (feed.h).
PollState after_poll(PollState state, const PollPlan& plan, WallMs now,
                     std::optional<std::int64_t> ttl_ms = {});
PollState after_error(PollState state, const PollPlan& plan, WallMs now,
                      std::optional<std::int64_t> retry_after_ms = {});

// When the next poll is due. Never later than the longest wait from `now`: a clock that was set
// back does not silence a trigger.
WallMs next_poll(const PollState& state, const PollPlan& plan, WallMs now);

}  // namespace drover::triggers
