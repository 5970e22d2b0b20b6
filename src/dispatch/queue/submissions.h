// Submissions accepts runs: a new one, or a retry by hand of a finished one. It writes the run's
// file first: a record without a file could never run, while a file without a record is removed
// later. Lives on the daemon's loop.
#pragma once

#include "base/id.h"
#include "dispatch/dispatcher.h"
#include "dispatch/dispatcher_options.h"
#include "dispatch/files/run_directories.h"
#include "dispatch/host.h"

namespace drover::dispatch {

// A room's part of the transaction that records a run (Submission).
struct RoomWork {
  store::Work first = {};
  std::function<Result<>(store::Transaction&, const run::Record&)> then = {};
};

class Submissions {
 public:
  // Everything borrowed must outlive it.
  Submissions(const Host& host, const DispatcherOptions& options, RunDirectories& directories,
              IdMaker& ids)
      : host_(host), options_(options), directories_(directories), ids_(ids) {}

  asio::awaitable<Result<store::Written>> submit(Submission submission);
  asio::awaitable<Result<store::Written>> retry(RetryRequest again);

  // Refuses all further submissions.
  void close() { closed_ = true; }
  // Whether a run's file is written and its record is not committed yet.
  bool are_pending() const { return pending_ > 0; }

 private:
  asio::awaitable<Result<store::Written>> take_in(run::Submitted submitted, RoomWork room = {});

  const Host& host_;
  const DispatcherOptions& options_;
  RunDirectories& directories_;
  IdMaker& ids_;
  size_t pending_ = 0;
  bool closed_ = false;
};

}  // namespace drover::dispatch
