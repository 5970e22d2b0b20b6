// The record of the latest probe, the one row of the table `probe` (docs/schema.md). The start and
// the end of a probe are commits like those of any run, but without an event: a probe is in no log,
// no list and no evidence.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string_view>

#include "base/id.h"
#include "base/result.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "store/transaction.h"

namespace drover::dispatch {

// Commits that the probe has reached this step, and reads it back: a commit without an event may
// have failed although the store reports success (store/transaction.h).
boost::asio::awaitable<Result<>> record_probe(spine::Spine& spine, store::ReadPool& reads, RunId id,
                                              std::string_view step);

extern const store::RoomSchema kProbeTables;

}  // namespace drover::dispatch
