// InUse decides which finished runs retention must keep (R9): parts of an active composite, runs
// that somebody reads or waits for, and runs that a held run waits for. Valid for one round of
// retention, because it remembers what it has read. Lives on the daemon's loop.
#pragma once

#include <string>
#include <unordered_map>

#include "bus/bell.h"
#include "dispatch/run_dispatcher.h"
#include "store/store.h"

namespace drover::dispatch {

class InUse {
 public:
  // Everything borrowed must outlive it.
  InUse(store::Store& store, const bus::Bell& bell, const RunDispatcher& dispatcher)
      : store_(store), bell_(bell), dispatcher_(dispatcher) {}

  bool has(const run::Record& record);

 private:
  // Whether a run that started others is still needed as a whole: it is an active composite, a
  // composite that somebody reads, or part of such a one.
  bool keeps_parts(const std::string& id, int depth);

  store::Store& store_;
  const bus::Bell& bell_;
  const RunDispatcher& dispatcher_;
  std::unordered_map<std::string, bool> parents_;  // The answers of keeps_parts.
};

}  // namespace drover::dispatch
