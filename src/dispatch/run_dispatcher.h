// The RunDispatcher is the Dispatcher of the real daemon: it takes every run from its submission to
// its finish, with keepers that may outlive it.
//
// The store has the records, and the spine shows each commit. The state of the parts can be dropped
// and rebuilt from the store and the journals at any time. The RunDispatcher decides nothing
// itself: it passes each request and each commit to the part that is responsible:
//
//   queue/submissions   new runs, and retries by hand
//   queue/claims        slots, and changes of lanes
//   queue/plans         runs that wait for others
//   launch/flights      runs between claim and finish
//   control             signals, input, terminal sizes
//   ending/reports      starts and ends, from keepers
//   ending/cancels      stops of active runs
//   ending/attempts     automatic retries
//   progress/…          what runs say, and how their output grows
//   readiness/readiness whether a run can start and end now
//   recovery/restorer   runs whose keepers do not report to this daemon
//   recovery/take_up    runs that a restored database does not know
//   recovery/orphans    processes of dead keepers
//   files/leftovers     files of a dead daemon
//   files/removal       deletions of finished runs
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <span>

#include "base/id.h"
#include "dispatch/control.h"
#include "dispatch/dispatcher.h"
#include "dispatch/dispatcher_options.h"
#include "dispatch/ending/attempts.h"
#include "dispatch/ending/cancels.h"
#include "dispatch/ending/reports.h"
#include "dispatch/files/leftovers.h"
#include "dispatch/files/run_directories.h"
#include "dispatch/host.h"
#include "dispatch/launch/flights.h"
#include "dispatch/launch/keeper_launcher.h"
#include "dispatch/launch/keeper_line.h"
#include "dispatch/progress/adopted_output.h"
#include "dispatch/progress/progress_reports.h"
#include "dispatch/queue/claims.h"
#include "dispatch/queue/plans.h"
#include "dispatch/queue/submissions.h"
#include "dispatch/readiness/readiness.h"
#include "dispatch/recovery/orphans.h"
#include "dispatch/recovery/restorer.h"
#include "dispatch/recovery/sweeper.h"
#include "dispatch/recovery/take_up.h"

namespace drover::dispatch {

class RunDispatcher final : public Dispatcher {
 public:
  // Everything borrowed must outlive it.
  RunDispatcher(asio::any_io_executor loop, Home home, DispatcherOptions options,
                const Clock& clock, store::ReadPool& reads, spine::Spine& spine);
  ~RunDispatcher() override;
  RunDispatcher(const RunDispatcher&) = delete;
  RunDispatcher& operator=(const RunDispatcher&) = delete;

  // Starts the cradle, then restores the runs that were active when the last daemon exited. The
  // doors open after this (H10): until then it reads `store` on the loop, because nobody waits.
  asio::awaitable<Result<>> recover(store::Reads& store);
  // The known kinds: runs of other kinds are not touched.
  std::vector<std::string> kinds() const { return host_.kinds.names(); }
  bool is_composite(std::string_view kind) const { return host_.kinds.is_composite(kind); }
  // Whether a held run waits for this one, even if it has finished.
  bool is_needed(const RunId& id) const { return plans_.need(id); }
  // The remedies applied by recover().
  const RecoveryCounts& recovered() const { return restorer_.counts(); }
  // Records what waits to be recorded: this daemon stops, and its runs continue.
  asio::awaitable<void> settle_progress() { return progress_.record_all(); }
  // Waits for a probe in progress, within its bound.
  asio::awaitable<void> settle_probe() { return readiness_.settle(); }
  // Accepts no more runs, stops every active one with all its processes (R7), and returns once none
  // is left (R18). If the store cannot record their ends, it returns when no process is left; the
  // next daemon finds the ends in the run files.
  asio::awaitable<void> end_all();

  asio::awaitable<Result<store::Written>> submit(Submission submission) override;
  asio::awaitable<Result<store::Written>> retry(RetryRequest again) override;
  asio::awaitable<Result<CancelOutcome>> cancel(RunId id,
                                                std::optional<std::int64_t> grace_ms) override;
  asio::awaitable<Result<>> remove(RunId id) override;
  // The same with its record, as it was read.
  asio::awaitable<Result<>> remove(run::Record record);
  asio::awaitable<Result<>> signal(RunId id, int number) override;
  asio::awaitable<Result<size_t>> send_input(RunId id, Input typed) override;
  asio::awaitable<Result<>> resize(RunId id, TerminalSize size) override;
  asio::awaitable<Result<ProgressOutcome>> say_progress(RunId id, run::SaidProgress said) override;
  asio::awaitable<Result<>> check_ready() override { return readiness_.check(); }
  asio::awaitable<Result<std::chrono::milliseconds>> probe() override { return readiness_.probe(); }
  LaneControl& lanes() override { return claims_; }

 private:
  // The active runs that `end_all` finds.
  struct ActiveRuns {
    bool any = false;
    bool plain = false;  // Other runs than composites.
  };
  asio::awaitable<Result<ActiveRuns>> cancel_active();
  void see(const store::Written& written);
  bool settle(const run::Record& record, std::span<const run::Event> events);
  Result<> start_cradle();

  const Host host_;
  const DispatcherOptions options_;
  IdMaker ids_;
  RunDirectories directories_;
  KeeperLauncher launcher_;
  KeeperLine line_;
  Flights flights_;
  Claims claims_;
  Plans plans_;
  Attempts attempts_;
  Submissions submissions_;
  ProgressReports progress_;
  AdoptedOutput adopted_output_;
  Reports reports_;
  Cancels cancels_;
  Control control_;
  Readiness readiness_;
  Orphans orphans_;
  Sweeper sweeper_;
  Restorer restorer_;
  TakeUp take_up_;
  Leftovers leftovers_;
};

}  // namespace drover::dispatch
