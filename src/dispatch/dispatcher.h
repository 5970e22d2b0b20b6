// The dispatcher decides which run goes next and sees each through: queue, launch, watch, judge.
// It is the only caller of process/. Everything here lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/home.h"
#include "base/id.h"
#include "dispatch/lanes.h"
#include "run/spec.h"
#include "spine/spine.h"
#include "store/store.h"

namespace drover::dispatch {

namespace asio = boost::asio;

// R6: what a cancel answers.
enum class CancelOutcome : std::uint8_t {
  canceled,
  cancel_requested,
  already_finished,
  not_cancellable
};
std::string_view name(CancelOutcome outcome);

struct Submission {
  run::Spec spec;
  std::vector<std::string> environment;  // "NAME=value", complete: what the command will see.
  std::string digest;                    // Of the request's body, for the idempotency key.
};

struct Typed {
  std::string bytes;
  bool eof = false;
  std::optional<TerminalSize> at = {};  // The terminal it was typed at: a pty takes its size on.
};

// Another attempt at an ended run, by hand. Its environment is gone with it: here is a new one.
struct Again {
  RunId id;
  std::vector<std::string> environment;
  std::string key;
  std::string digest;
};

class Dispatcher {
 public:
  virtual ~Dispatcher() = default;

  // Writes the run's file, records the run, launches it if its lane has room. The answer comes
  // after the commit (H1).
  virtual asio::awaitable<Result<store::Written>> submit(Submission submission) = 0;

  // Runs the command of an ended run once more, as a run of its own (R17).
  virtual asio::awaitable<Result<store::Written>> retry(Again again) = 0;

  // Records the intent, then acts on it (R4, R6). `grace_ms` replaces the run's own; 0 kills.
  // Of a run that is tried again, the attempt that is under way or waits is ended (R17).
  virtual asio::awaitable<Result<CancelOutcome>> cancel(RunId id,
                                                        std::optional<std::int64_t> grace_ms) = 0;

  // Something that is known of a composite, which has no keeper to report it.
  virtual asio::awaitable<Result<store::Written>> note(run::Fact fact) = 0;

  // Removes record and output of an ended run; its evidence stays (R8).
  virtual asio::awaitable<Result<>> remove(RunId id) = 0;

  virtual asio::awaitable<Result<>> signal(RunId id, int number) = 0;
  // How many bytes were taken: fewer than all if the command does not read them now. Standard
  // input is closed only once all were.
  virtual asio::awaitable<Result<size_t>> send_input(RunId id, Typed typed) = 0;
  virtual asio::awaitable<Result<>> resize(RunId id, TerminalSize size) = 0;

  // R16. A lane that is paused starts nothing; one that is draining takes nothing new.
  virtual asio::awaitable<Result<store::Lane>> set_lane(store::LaneSet wish) = 0;
  virtual asio::awaitable<Result<>> remove_lane(std::string lane) = 0;
  // A folder that can be played from now on, or no more (store/project.h).
  virtual asio::awaitable<Result<>> add_project(store::Project project) = 0;
  virtual asio::awaitable<Result<>> remove_project(std::string id) = 0;
  // A queued run, to another lane or another place in its own.
  virtual asio::awaitable<Result<run::Record>> move(run::Moved wish) = 0;
  // How many go before a queued run. Nothing: it stands in no queue.
  virtual std::optional<size_t> ahead_of(const run::Record& record) const = 0;

  // How many runs are active and waiting, for `status`.
  virtual std::size_t active() const = 0;
  virtual std::size_t queued() const = 0;
  // The same by lane, with their limits: what is at hand, for metrics.
  virtual std::vector<LaneNumbers> lane_numbers() const = 0;
  // What became of the runs that the last daemon left active.
  virtual std::vector<std::pair<std::string_view, size_t>> recovered() const = 0;
};

}  // namespace drover::dispatch
