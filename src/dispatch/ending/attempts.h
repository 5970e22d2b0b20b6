// Attempts prepares the automatic retries of runs (R17). It writes the file of the next attempt
// before the finish of the previous one is recorded; both are then recorded in one commit, so a
// crash can neither lose an attempt nor duplicate it. A file that is not needed is removed, here or
// by the next daemon. Lives on the daemon's loop.
#pragma once

#include "base/id.h"
#include "dispatch/dispatcher_options.h"
#include "dispatch/files/run_directories.h"
#include "dispatch/host.h"
#include "dispatch/launch/flights.h"
#include "dispatch/launch/run_command.h"

namespace drover::dispatch {

class Attempts {
 public:
  // Everything borrowed must outlive it.
  Attempts(const Host& host, RunDirectories& directories, IdMaker& ids, TokenOf token_of,
           ExactOutput exact_output = {});

  // Writes the file of the next attempt and sets `ended.next`; the store decides whether the
  // attempt happens. False: not possible yet, for example because a disk is full. `flight` is null
  // if the run is no longer in flight.
  asio::awaitable<bool> prepare(run::Ended& ended, const Flight* flight);

  // Called after the finish was recorded, or refused (null): removes the file of an attempt that
  // does not happen, and says if output beyond the limit may remain.
  asio::awaitable<void> settle(const run::Ended& ended, const store::Written* written);

 private:
  const Host& host_;
  RunDirectories& directories_;
  IdMaker& ids_;
  TokenOf token_of_;
  ExactOutput exact_output_;
};

}  // namespace drover::dispatch
