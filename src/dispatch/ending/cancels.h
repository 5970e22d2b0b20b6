// Cancels stops runs before they finish by themselves (R4, R6): it records the request first, then
// carries it out, and keeps trying while the run's keeper cannot be reached. Lives on the daemon's
// loop.
#pragma once

#include <cstdint>
#include <optional>

#include "dispatch/dispatcher.h"
#include "dispatch/ending/reports.h"
#include "dispatch/host.h"
#include "dispatch/launch/flights.h"
#include "dispatch/launch/keeper_line.h"

namespace drover::dispatch {

class Cancels {
 public:
  // Everything borrowed must outlive it.
  Cancels(const Host& host, Flights& flights, KeeperLine& line, Reports& reports)
      : host_(host), flights_(flights), line_(line), reports_(reports) {}

  // `grace_ms` replaces the run's own; 0 kills. If the run was retried, the current attempt is
  // canceled (R17).
  asio::awaitable<Result<CancelOutcome>> cancel(run::CancelRequested wish,
                                                std::optional<std::int64_t> grace_ms);

  // Carries out a recorded cancel.
  asio::awaitable<void> stop(RunId id, std::int64_t grace_ms);

 private:
  asio::awaitable<bool> ask_to_stop(RunId id, std::int64_t grace_ms);

  const Host& host_;
  Flights& flights_;
  KeeperLine& line_;
  Reports& reports_;
};

}  // namespace drover::dispatch
