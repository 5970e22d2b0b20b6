// Cancels are how runs are ended before their time (R4, R6): the intent goes on record first, then
// it is carried out, however long the run's keeper cannot be reached. Lives on the daemon's loop.
#pragma once

#include <cstdint>
#include <optional>

#include "dispatch/dispatcher.h"
#include "dispatch/flights.h"
#include "dispatch/host.h"
#include "dispatch/keeper_line.h"
#include "dispatch/reports.h"

namespace drover::dispatch {

class Cancels {
 public:
  // Everything borrowed must outlive it.
  Cancels(const Host& host, Flights& flights, KeeperLine& line, Reports& reports)
      : host_(host), flights_(flights), line_(line), reports_(reports) {}

  // `grace_ms` replaces the run's own; 0 kills. Of a run that is tried again, the attempt that is
  // under way or waits is ended (R17).
  asio::awaitable<Result<CancelOutcome>> cancel(run::CancelRequested wish,
                                                std::optional<std::int64_t> grace_ms);

  // Carries out an intent that is on record.
  asio::awaitable<void> stop(RunId id, std::int64_t grace_ms);

 private:
  asio::awaitable<bool> ask_to_stop(RunId id, std::int64_t grace_ms);

  const Host& host_;
  Flights& flights_;
  KeeperLine& line_;
  Reports& reports_;
};

}  // namespace drover::dispatch
