// A day is a stretch in the life of a home in which everything happens that leaves something
// behind: runs of every kind are taken, launched, canceled, deleted and pruned; at night daemon,
// cradle and a keeper are killed with runs in every state; in the morning the next daemon picks up.
// Every crash point is passed, most of them often, and whatever dies on the way the day goes on.
#pragma once

#include "tests/torture/herd.h"

namespace drover::tests {

struct Manner {
  bool cradle_dies = false;  // In the night; or it lives on, and finds its daemon gone.
  bool much = false;         // Enough to write down for a checkpoint.
};

class Day {
 public:
  explicit Day(Manner manner);

  void live();
  void work();     // Until everything that ends by itself has ended.
  void dusk();     // What goes on into the night; one run is only being started.
  void night();    // Nobody is there, and one command ends.
  void morning();  // The next daemon.

  Trial trial;
  Herd herd;

 private:
  void stop_cradles(bool stop) const;

  Manner manner_;
  RunRequest* sleeper_ = nullptr;
  RunRequest* early_ = nullptr;   // Ends in the night.
  RunRequest* victim_ = nullptr;  // Loses its keeper.
};

}  // namespace drover::tests
