// The dispatcher decides which run is next and takes each from submission to finish: queue, launch,
// watch, judge. It starts every process of a run. Everything here lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "dispatch/lane_control.h"
#include "run/spec.h"
#include "store/store.h"

namespace drover::dispatch {

namespace asio = boost::asio;

// The answer to a cancel (R6).
enum class CancelOutcome : std::uint8_t {
  canceled,
  cancel_requested,
  cancel_repeated,  // It was requested before. Callers get the same answer as the first one.
  already_finished,
  not_cancellable
};
std::string_view name(CancelOutcome outcome);

// The answer to a report of progress.
enum class ProgressOutcome : std::uint8_t {
  recorded,  // Durable.
  deferred,  // It will be recorded within a second, unless a newer one replaces it.
};

// Identifies a request that is repeated because its answer was lost. Both are empty without a key:
// every request is a new one then.
struct IdempotencyKey {
  std::string key = {};
  std::string digest = {};  // Of the request's body: the same key with another body is refused.
};

struct Submission {
  run::Spec spec;
  std::vector<std::string> environment;  // "NAME=value", the complete environment of the command.
  std::string digest;                    // Of the request's body, for the idempotency key.
  // Runs first, in the run's transaction. If it is refused, the submission fails with that error.
  store::Work first = {};
  // The same after it, with the run's first record: a room links its own row to the run.
  std::function<Result<>(store::Transaction&, const run::Record&)> then = {};
};

struct Input {
  std::string bytes;
  bool eof = false;
  std::optional<TerminalSize> at = {};  // The terminal it was typed at: a pty takes on its size.
};

// A retry by hand of a finished run. The old environment was deleted, so this brings a new one.
struct RetryRequest {
  RunId id;
  std::vector<std::string> environment;
  std::string key;
  std::string digest;
  store::Work first = {};  // As that of a Submission.
};

class Dispatcher {
 public:
  virtual ~Dispatcher() = default;

  // Writes the run's file, records the run, launches it if its lane has a free slot. Answers after
  // the commit (H1).
  virtual asio::awaitable<Result<store::Written>> submit(Submission submission) = 0;

  // Runs the command of a finished run once more, as a run of its own (R17).
  virtual asio::awaitable<Result<store::Written>> retry(RetryRequest again) = 0;

  // Records the request, then carries it out (R4, R6). `grace_ms` replaces the run's own; 0 kills.
  // If the run was retried, the current attempt is canceled (R17).
  virtual asio::awaitable<Result<CancelOutcome>> cancel(RunId id,
                                                        std::optional<std::int64_t> grace_ms) = 0;

  // Removes the record and output of a finished run; its evidence stays (R8).
  virtual asio::awaitable<Result<>> remove(RunId id) = 0;

  virtual asio::awaitable<Result<>> signal(RunId id, int number) = 0;
  // Returns how many bytes were taken: fewer than all if the command does not read them now.
  // Standard input is closed only once all were taken.
  virtual asio::awaitable<Result<size_t>> send_input(RunId id, Input typed) = 0;
  virtual asio::awaitable<Result<>> resize(RunId id, TerminalSize size) = 0;

  // A report of a run about its own progress. Refused (`not_running`) unless it is running.
  virtual asio::awaitable<Result<ProgressOutcome>> say_progress(RunId id,
                                                                run::SaidProgress said) = 0;

  // Whether a run can start and end now: from the latest run that did, or a probe
  // (readiness/readiness.h).
  virtual asio::awaitable<Result<>> check_ready() = 0;
  // Starts and ends a probe run now; returns how long that took.
  virtual asio::awaitable<Result<std::chrono::milliseconds>> probe() = 0;

  virtual LaneControl& lanes() = 0;
};

}  // namespace drover::dispatch
