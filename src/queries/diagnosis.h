// What a running run is doing, found out by looking at its processes: who they are is read from
// its journal, what they do from /proc (diagnosis/). Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <vector>

#include "base/home.h"
#include "diagnosis/judge.h"
#include "run/record.h"

namespace drover::queries {

namespace asio = boost::asio;

struct Diagnosis {
  diagnosis::Scene scene;
  std::vector<diagnosis::Finding> findings;
};

// What a run uses now. Nothing: it is not running, or nobody knows its processes.
std::optional<diagnosis::Usage> usage_now(const Home& home, const run::Record& record);

// Looks twice (limits::kLookAgainMs), to see what moves. Nothing: its processes are not known, or
// have ended meanwhile. `home` and `clock` must outlive the call.
asio::awaitable<std::optional<Diagnosis>> diagnose(asio::any_io_executor loop, const Home& home,
                                                   const Clock& clock, run::Record record);

}  // namespace drover::queries
