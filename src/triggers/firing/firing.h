// Firing carries out what was decided about a trigger: it submits the run of an occurrence, or
// records that there is none. The occurrence, the run, the trigger's next due time and the event
// about it are one commit; a crash leaves all of them or none.
//
// If the run may not start now (the last one is active and the trigger skips, or its lane drains),
// the occurrence is recorded as skipped instead, also in one commit. If the store cannot be
// written, nothing has changed, and the caller tries again later. It does not know due times or
// filters: the callers (time/timetable.h, pending_firings.h, triggers.h) decide what fires.
//
// Lives on the daemon's loop. Everything borrowed must outlive it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/home.h"
#include "dispatch/dispatcher.h"
#include "requests/daemon_environment.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "triggers/definition/spec.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/ledger/occurrence.h"

namespace drover::triggers {

namespace asio = boost::asio;

// A trigger's position in its schedule.
struct Position {
  std::optional<WallMs> next_due;
  std::optional<WallMs> wake_at;
};

struct FiringRequest {
  StoredTrigger trigger;  // As it was read when this was decided.
  TriggerSpec spec;
  Occurrence occurrence;                // Its outcome, reason and run are set here.
  std::string event = {};               // The whole event, for the run; empty for a due time.
  std::vector<Occurrence> beside = {};  // Other occurrences of the same decision.
  // Of a schedule: refused (`already_accounted`) unless the trigger still stands at its next_due.
  std::optional<Position> position = {};
  bool is_pending = false;  // The occurrence exists and is pending.
  bool by_hand = false;     // Also if the trigger is paused.
  // On whose behalf the store is asked.
  work::Caller caller = store::daemon_itself();
};

class Firing {
 public:
  // Everything borrowed must outlive it.
  Firing(store::ReadPool& reads, dispatch::Dispatcher& dispatcher, spine::Recorder record,
         const Home& home, const requests::DaemonEnvironment& environment, std::string programs)
      : reads_(reads),
        dispatcher_(dispatcher),
        record_(std::move(record)),
        home_(home),
        environment_(environment),
        programs_(std::move(programs)) {}

  // Returns the occurrence as it was written. Errors: `already_accounted` (there is nothing to do),
  // `trigger_changed` (read it again and decide again), `unavailable` (try later).
  asio::awaitable<Result<Occurrence>> fire(FiringRequest request);

  // Keeps a trigger from being due again before `until`, while it is polled.
  asio::awaitable<Result<>> lease(const StoredTrigger& trigger, WallMs until);

  const spine::Recorder& recorder() const { return record_; }

  // Writes occurrences that start no run: missed, coalesced or skipped due times, with the new
  // position.
  asio::awaitable<Result<>> account(FiringRequest request);

  // Moves the trigger behind due times of which the ledger has an occurrence: its clock was set
  // back, and then it was changed, which made it stand before them.
  asio::awaitable<Result<>> pass_over(FiringRequest request);

 private:
  asio::awaitable<Result<store::Written>> submit(const FiringRequest& request);
  Result<dispatch::Submission> submission_for(const FiringRequest& request,
                                              std::vector<RunId> waits_for) const;

  store::ReadPool& reads_;
  dispatch::Dispatcher& dispatcher_;
  const spine::Recorder record_;
  const Home& home_;
  const requests::DaemonEnvironment& environment_;
  const std::string programs_;
};

}  // namespace drover::triggers
