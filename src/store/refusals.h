// Refusals that only a store can decide: a key that was used before, a full queue. They are shared,
// so that every store returns the same errors.
#pragma once

#include <string_view>

#include "base/result.h"

namespace drover::store {

std::unexpected<Error> key_reused(std::string_view run_id);
std::unexpected<Error> key_of_deleted(std::string_view run_id);
std::unexpected<Error> queue_full(size_t queued_max);
std::unexpected<Error> write_queue_full();
std::unexpected<Error> lane_busy(std::string_view lane);
std::unexpected<Error> lane_stays(std::string_view lane);
std::unexpected<Error> no_such_lane(std::string_view lane);
// For a Work (store/transaction.h).
inline constexpr std::string_view kWorkSlow = "work_slow";
std::unexpected<Error> work_slow();
std::unexpected<Error> work_without_event();
// The commit reported a failure, but may have landed. Sending the fact again is harmless.
std::unexpected<Error> commit_unknown(std::string_view why);

}  // namespace drover::store
