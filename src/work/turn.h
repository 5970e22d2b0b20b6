// A Turn is one job's use of a worker (work/pool.h), with its budget: CPU time, for as long as its
// caller waits. A job calls `check` between two portions of its work, and returns the error.
//
// Lives on the worker's thread; `stop` may be requested from any thread.
#pragma once

#include <chrono>
#include <stop_token>

#include "base/result.h"

namespace drover::work {

class Turn {
 public:
  // Begins now, on this thread.
  Turn(std::stop_token stop, std::chrono::nanoseconds cpu_max);

  // `canceled`: nobody waits for the answer any more. `work_too_long`: the budget is used up.
  Result<> check() const;
  std::chrono::nanoseconds used() const;

 private:
  const std::stop_token stop_;
  const std::chrono::nanoseconds cpu_max_;
  const std::chrono::nanoseconds begun_;
};

}  // namespace drover::work
