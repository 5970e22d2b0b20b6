// Submissions are how runs come in: a new one, or by hand another attempt at one that has ended.
// The run's file is written first: a record without one could never run; a file without a record is
// swept away. Lives on the daemon's loop.
#pragma once

#include "base/id.h"
#include "dispatch/dispatcher.h"
#include "dispatch/host.h"
#include "dispatch/run_directories.h"
#include "dispatch/settings.h"

namespace drover::dispatch {

class Submissions {
 public:
  // Everything borrowed must outlive it.
  Submissions(const Host& host, const Settings& settings, RunDirectories& directories, IdMaker& ids)
      : host_(host), settings_(settings), directories_(directories), ids_(ids) {}

  asio::awaitable<Result<store::Written>> submit(Submission submission);
  asio::awaitable<Result<store::Written>> retry(RetryRequest again);

  // From now on everything is refused.
  void close() { closed_ = true; }
  // Whether the record of a run whose file is written is on its way.
  bool are_under_way() const { return under_way_ > 0; }

 private:
  asio::awaitable<Result<store::Written>> take_in(run::Submitted submitted, store::Work first = {});

  const Host& host_;
  const Settings& settings_;
  RunDirectories& directories_;
  IdMaker& ids_;
  size_t under_way_ = 0;
  bool closed_ = false;
};

}  // namespace drover::dispatch
