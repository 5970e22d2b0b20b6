// A Caller names the client for which a job runs beside the loop. The pool (pool.h) shares its
// workers fairly among the names of callers, and keeps a reserve for those that are not tokens.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>

namespace drover::work {

struct Caller {
  std::string name = {};  // Empty: the owner.
  bool is_token = false;  // Neither the owner nor the daemon itself: never has the last worker.
  size_t bytes = 0;       // The memory that the job needs at most, if it is a lot.
  std::stop_token stop = {};
};

}  // namespace drover::work
