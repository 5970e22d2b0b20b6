// The diagnosis of a running run: its processes and what they are blocked in. The run's journal
// names the processes, /proc says what they do (diagnosis/). Lives on the daemon's loop.
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

// The CPU, memory and disk use of a run now. Empty: it is not running, or its processes are
// unknown.
std::optional<diagnosis::Usage> usage_now(const Home& home, const run::Record& record);

// Reads /proc twice (limits::kLookAgainMs apart) to see which processes use CPU. Empty: its
// processes are unknown or have exited. `home` and `clock` must outlive the call.
asio::awaitable<std::optional<Diagnosis>> diagnose(asio::any_io_executor loop, const Home& home,
                                                   const Clock& clock, run::Record record);

}  // namespace drover::queries
