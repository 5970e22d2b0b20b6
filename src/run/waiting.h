// Waiting is the time before a queued run may have a slot: until other runs have finished (R17),
// and until its start time. Such a run is *held*: it is in no queue and delays no other run. Pure:
// the store reads the state of the others, inside the transaction that asks.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "run/record.h"

namespace drover::run {

// One run that another waits for, and its state. If that run is retried, its last attempt counts.
struct Dependency {
  RunId id;
  bool must_complete = true;  // --after; false: --after-any, any finished state will do.
  bool known = false;
  std::optional<State> end = {};  // Nothing: it has not finished.
  std::string last_attempt = {};  // The attempt that finished so, if it is not `id`.
};

enum class Wait : std::uint8_t { over, waiting, never };

struct WaitVerdict {
  Wait wait = Wait::over;
  std::string message;  // If it can never start: which dependency finished how.
};

// Whether `record` still has to wait. A run that can never start need not wait for the others.
WaitVerdict judge_waiting(const Record& record, std::span<const Dependency> dependencies,
                          WallMs now);

// Whether its start time has come. A clock that was set back to before its submission delays
// nothing.
bool is_due(const Record& record, WallMs now);

}  // namespace drover::run
