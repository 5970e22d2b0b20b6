// Readiness answers whether a run can start and end now. The proof is the latest run that did: any
// run whose start is at most kReadyAgeMax old and whose end is recorded. Without one, it starts a
// probe: a run that takes the path of all runs (its file, a commit, cradle, keeper, command,
// report, a commit) but has no record, so that it is in nobody's history. Nothing of it remains but
// the row of the latest probe (probe_record.h). All callers share one probe; without a caller there
// is none.
//
// A probe may hang: in the store, before a keeper starts it, or before it ends. A caller waits for
// kProbeWait, then gets the step as its error; the probe continues, and counts once it has ended.
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "dispatch/files/run_directories.h"
#include "dispatch/host.h"
#include "dispatch/launch/keeper_launcher.h"
#include "dispatch/readiness/limits.h"
#include "process/report.h"

namespace drover::dispatch {

class Readiness {
 public:
  // Everything borrowed must outlive it. `program` is drover-keeper: its --noop is the command.
  Readiness(const Host& host, RunDirectories& directories, KeeperLauncher& launcher, IdMaker& ids,
            std::string program)
      : host_(host),
        directories_(directories),
        launcher_(launcher),
        ids_(ids),
        program_(std::move(program)) {}

  // The end of a run that this daemon launched at that time is recorded.
  void see_end(MonoNs launched);
  // Both return whether it is about the probe: a report of its keeper; its cradle was lost.
  bool take(const RunId& id, const process::Report& report);
  bool take_loss(const RunId& id);

  // Starts a probe only if no run proves it. The error's reason is the step: not_ready_store,
  // not_ready_launch or not_ready_end; or `database_gone`.
  asio::awaitable<Result<>> check();
  // Starts a probe, unless one is in progress. Returns how long it took.
  asio::awaitable<Result<std::chrono::milliseconds>> probe();
  // Waits until the probe in progress has ended, within the bound: the daemon stops.
  asio::awaitable<void> settle();

 private:
  enum class Step : std::uint8_t { store, launch, end };
  using Outcome = Result<std::chrono::milliseconds>;

  struct Probe {
    RunId id;
    Step step = Step::store;
    MonoNs began = 0;
    MonoNs launched = 0;
    std::optional<Result<>> reported = {};  // By its keeper, or about it.
    std::optional<Outcome> outcome = {};
    std::vector<std::shared_ptr<asio::steady_timer>> waiting = {};
  };

  bool is_proven() const;
  std::shared_ptr<Probe> begin();
  asio::awaitable<void> run(std::shared_ptr<Probe> probe);
  asio::awaitable<Result<>> start_and_end(Probe& probe);
  asio::awaitable<void> wait(Probe& probe, std::chrono::steady_clock::time_point deadline,
                             bool for_outcome);
  void report(Result<> result);
  void give_up(const RunId& id);
  std::unexpected<Error> failed(const Probe& probe, const Error& error) const;
  std::unexpected<Error> hangs(const Probe& probe) const;

  const Host& host_;
  RunDirectories& directories_;
  KeeperLauncher& launcher_;
  IdMaker& ids_;
  const std::string program_;
  std::optional<MonoNs> proven_;    // When the latest proof was launched.
  std::shared_ptr<Probe> current_;  // Null: none is in progress.
  std::shared_ptr<Probe> last_;     // The latest that has ended.
};

}  // namespace drover::dispatch
