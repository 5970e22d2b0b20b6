// Attempts are how runs come again by themselves (R17). The file of the next attempt is made before
// the end of the one before is recorded, and both are recorded at once: a crash can neither lose an
// attempt nor double it. A file that was made for nothing is removed, here or by the next daemon.
// Lives on the daemon's loop.
#pragma once

#include "base/id.h"
#include "dispatch/flights.h"
#include "dispatch/host.h"
#include "dispatch/run_command.h"
#include "dispatch/run_directories.h"

namespace drover::dispatch {

class Attempts {
 public:
  // Everything borrowed must outlive it.
  Attempts(const Host& host, RunDirectories& directories, IdMaker& ids, TokenOf token_of);

  // Whether there is another attempt is decided by the store; here it is made possible: its file is
  // written, and `ended.next` is set. False: not yet, because a disk is full, say. `flight` is null
  // if it is none any more.
  bool prepare(run::Ended& ended, const Flight* flight);

  // After the end was recorded, or refused (null): removes the file of an attempt that does not
  // come.
  void drop_unused(const run::Ended& ended, const store::Written* written);

 private:
  const Host& host_;
  RunDirectories& directories_;
  IdMaker& ids_;
  TokenOf token_of_;
};

}  // namespace drover::dispatch
