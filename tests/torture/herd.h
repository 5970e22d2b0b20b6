// A Herd is all runs that a tortured home has submitted: what each is to do, what was requested for
// it later, and its acknowledged id. Every request is repeated until it is answered, so each key
// must give one run, however many daemons die in between.
#pragma once

#include <deque>
#include <mutex>
#include <string>

#include "tests/torture/tortured_home.h"

namespace drover::tests {

// Runs of this scope may be pruned; each other run has a scope of its own.
inline constexpr const char* kPruned = "old";

struct RunRequest {
  // The request; see witness.cc.
  std::string key = {};  // Set by the herd.
  std::string lane = "default";
  int limit = 0;  // Of that lane; 0: not checked.
  int ms = 0;
  int code = 0;
  int timeout_ms = 0;  // 0: none.
  std::string habits = {};
  std::string scope = {};  // Empty: one of its own, so that retention keeps it.
  bool launchable = true;  // Otherwise the program does not exist.
  bool later = true;       // Otherwise it fails if it is still queued when the daemon restarts.
  bool fat = false;        // Much data to store.
  int retries = 0;         // The maximum number of retries.
  std::string after = {};  // The key of a run that it depends on, whatever its result.

  // The results, as far as the caller knows them.
  std::string id = {};
  bool cancel_asked = false;
  bool removal_asked = false;
};

class Herd {
 public:
  explicit Herd(TorturedHome& tortured) : tortured_(tortured) {}

  RunRequest& plan(RunRequest request);  // Gives it a key; sends no request yet.
  RunRequest& submit(RunRequest request) { return submit_planned(plan(std::move(request))); }
  RunRequest& submit_planned(RunRequest& request);

  void cancel(RunRequest& request);
  void move(const RunRequest& request, const std::string& lane);  // If it is still queued.
  void remove(RunRequest& request);                               // Once it has finished.
  void end_input(RunRequest& request);
  void signal(const RunRequest& request, const std::string& name);
  void release(const RunRequest& request) const;  // Habit f: lets it continue.
  void wait_for_end(const RunRequest& request);
  void wait_for_all();
  bool is_begun(const RunRequest& request) const;    // By its witness.
  void wait_until_begun(const RunRequest& request);  // Or until it has finished without starting.

  void wait_until_let_go(const RunRequest& request) const;  // Until its keeper has exited or died.

  std::string lines_of(const RunRequest& request) const;  // The lines that its witness wrote.
  const std::deque<RunRequest>& requests() const { return requests_; }
  TorturedHome& tortured() const { return tortured_; }

 private:
  TorturedHome& tortured_;
  std::mutex mutex_;
  std::deque<RunRequest> requests_;
};

}  // namespace drover::tests
