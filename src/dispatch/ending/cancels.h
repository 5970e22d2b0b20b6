// Cancels stops runs before they finish by themselves (R4, R6). It records the request first, then
// asks the run's keeper to stop the command, and repeats that until the end of the run is recorded.
// A keeper that does not react in time is killed. If the store cannot record the request, or does
// not answer, the request is noted in the run's file and carried out all the same; for a composite,
// in the files of its children. Lives on the daemon's loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

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

  // `look_again` is called for a run whose journal says more than was reported. Set it once.
  void on_unreported(std::function<void(const RunId&)> look_again) {
    look_again_ = std::move(look_again);
  }

  // `grace_ms` replaces the run's own; 0 kills. If the run was retried, the current attempt is
  // canceled (R17).
  asio::awaitable<Result<CancelOutcome>> cancel(run::CancelRequested wish,
                                                std::optional<std::int64_t> grace_ms);

  // Carries out a recorded cancel.
  asio::awaitable<void> stop(RunId id, std::int64_t grace_ms);

 private:
  struct Recording;
  std::shared_ptr<Recording> begin_recording(const run::CancelRequested& wish);
  asio::awaitable<std::optional<CancelOutcome>> act_first(run::CancelRequested wish,
                                                          std::optional<std::int64_t> grace_ms);
  // The grace is that of the request, or else that of the run.
  struct Grace {
    std::optional<std::int64_t> wished_ms;
    std::int64_t own_ms;
  };
  std::optional<CancelOutcome> act_on(const run::CancelRequested& wish,
                                      const std::string& kind_name, Grace grace);
  bool act_on_children(const RunId& composite, std::optional<std::int64_t> grace_ms);
  asio::awaitable<void> record_later(run::CancelRequested wish);
  asio::awaitable<bool> is_unfinished(RunId id) const;
  asio::awaitable<bool> ask_to_stop(RunId id, std::int64_t grace_ms);
  asio::awaitable<void> wait_for_end(RunId id);
  void insist(const RunId& id, int round);

  const Host& host_;
  Flights& flights_;
  KeeperLine& line_;
  Reports& reports_;
  std::function<void(const RunId&)> look_again_;
  // Runs being canceled, each with the deadline of its keeper.
  std::unordered_map<RunId, std::chrono::steady_clock::time_point> stopping_;
};

}  // namespace drover::dispatch
