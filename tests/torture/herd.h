// A herd is all runs that a trial asked for: what each was to do, what was asked of it later, and
// the id that was promised for it. Every request is repeated until it is answered, so that each key
// must lead to one run, however many daemons died in between.
#pragma once

#include <deque>
#include <mutex>
#include <string>

#include "tests/torture/trial.h"

namespace drover::tests {

// Runs of this scope may be pruned; all others have a scope of their own.
inline constexpr const char* kPruned = "old";

struct RunRequest {
  // What is asked for; see witness.cc.
  std::string key = {};  // Given by the herd.
  std::string lane = "default";
  int limit = 0;  // Of that lane; 0: nobody counts.
  int ms = 0;
  int code = 0;
  int timeout_ms = 0;  // 0: none.
  std::string habits = {};
  std::string scope = {};  // Empty: one of its own, so that retention leaves it alone.
  bool launchable = true;  // Or there is no such program.
  bool later = true;       // Or it fails if it has not begun when the daemon goes.
  bool fat = false;        // Much to write down.
  int retries = 0;         // It comes again, up to so often.
  std::string after = {};  // The key of a run that it waits for, however that ends.

  // What became of it, as far as its asker knows.
  std::string id = {};
  bool cancel_asked = false;
  bool removal_asked = false;
};

class Herd {
 public:
  explicit Herd(Trial& trial) : trial_(trial) {}

  RunRequest& plan(RunRequest wish);  // Gives it a key; nobody is asked yet.
  RunRequest& submit(RunRequest wish) { return submit_planned(plan(std::move(wish))); }
  RunRequest& submit_planned(RunRequest& wish);

  void cancel(RunRequest& wish);
  void move(const RunRequest& wish, const std::string& lane);  // If it still waits.
  void remove(RunRequest& wish);                               // Once it has ended.
  void end_input(RunRequest& wish);
  void signal(const RunRequest& wish, const std::string& name);
  void release(const RunRequest& wish) const;  // Habit f: it goes on.
  void wait_for_end(const RunRequest& wish);
  void wait_for_all();
  bool is_begun(const RunRequest& wish) const;    // By its witness.
  void wait_until_begun(const RunRequest& wish);  // Or until it has ended without.

  void wait_until_let_go(const RunRequest& wish) const;  // By its keeper, dead or not.

  std::string lines_of(const RunRequest& wish) const;  // What its witness left.
  const std::deque<RunRequest>& wishes() const { return wishes_; }
  Trial& trial() const { return trial_; }

 private:
  Trial& trial_;
  std::mutex mutex_;
  std::deque<RunRequest> wishes_;
};

}  // namespace drover::tests
