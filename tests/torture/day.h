// A Day is a scenario in the life of a home that uses everything that leaves traces: runs of every
// kind are accepted, launched, canceled, deleted and pruned; at night daemon, cradle and a keeper
// are killed with runs in every state; in the morning the next daemon recovers. It passes every
// crash point, most of them often, and continues after every death.
#pragma once

#include "tests/torture/herd.h"

namespace drover::tests {

struct DayOptions {
  bool cradle_dies = false;  // At night; otherwise it survives, and finds its daemon gone.
  bool much = false;         // Enough data for a checkpoint.
};

class Day {
 public:
  explicit Day(DayOptions options);

  void live();
  void work();     // Until all runs that finish by themselves have.
  void dusk();     // Starts the runs for the night; one is only starting.
  void night();    // Everything is killed, and one command exits.
  void morning();  // Starts the next daemon.

  TorturedHome tortured;
  Herd herd;

 private:
  void stop_cradles(bool stop) const;

  DayOptions options_;
  RunRequest* sleeper_ = nullptr;
  RunRequest* early_ = nullptr;   // Exits at night.
  RunRequest* victim_ = nullptr;  // Loses its keeper.
};

}  // namespace drover::tests
