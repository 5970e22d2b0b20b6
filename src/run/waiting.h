// Waiting is what a queued run does before it may have a slot: until other runs have ended (R17),
// and until its time has come. Such a run is *held*: it stands in no queue and is in nobody's way.
// Pure: how the others stand is found out by the store, inside the transaction that asks.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "run/record.h"

namespace drover::run {

// One run that another waits for, and how it stands. Of one that is tried again the last attempt
// counts.
struct Dependency {
  RunId id;
  bool must_complete = true;  // --after; false: --after-any, any end will do.
  bool known = false;
  std::optional<State> end = {};  // Nothing: it has not ended.
  std::string missed = {};  // Which attempt it was that ended so, if it was another than `id`.
};

enum class Wait : std::uint8_t { over, goes_on, in_vain };

struct WaitVerdict {
  Wait wait = Wait::over;
  std::string message;  // Of one in vain: which run ended how.
};

// Whether `record` still has to wait. One that can never begin need not wait for the others.
WaitVerdict judge_waiting(const Record& record, std::span<const Dependency> dependencies,
                          WallMs now);

// Whether its time has come. A clock that was set back behind its beginning holds nobody up.
bool is_due(const Record& record, WallMs now);

}  // namespace drover::run
