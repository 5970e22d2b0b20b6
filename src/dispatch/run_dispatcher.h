// The RunDispatcher is the Dispatcher of the real daemon: it takes every run from its submission to
// its finish, with keepers that may outlive it.
//
// The store has the records, and the spine shows each commit. The state of the parts can be dropped
// and rebuilt from the store and the journals at any time. The RunDispatcher decides nothing
// itself: it passes each request and each commit to the part that is responsible:
//
//   submissions   new runs, and retries by hand      claims     slots, and changes of lanes
//   flights       runs between claim and finish      plans      runs that wait for others
//   reports       starts and ends, from keepers      attempts   automatic retries
//   cancels       stops of active runs               control    signals, input, terminal sizes
//   restorer      runs without reports to us         leftovers  files of a dead daemon
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <span>

#include "base/id.h"
#include "dispatch/attempts.h"
#include "dispatch/cancels.h"
#include "dispatch/claims.h"
#include "dispatch/control.h"
#include "dispatch/dispatcher.h"
#include "dispatch/flights.h"
#include "dispatch/host.h"
#include "dispatch/keeper_line.h"
#include "dispatch/launcher.h"
#include "dispatch/leftovers.h"
#include "dispatch/plans.h"
#include "dispatch/reports.h"
#include "dispatch/restorer.h"
#include "dispatch/run_directories.h"
#include "dispatch/settings.h"
#include "dispatch/submissions.h"

namespace drover::dispatch {

class RunDispatcher final : public Dispatcher {
 public:
  // Everything borrowed must outlive it.
  RunDispatcher(asio::any_io_executor loop, Home home, Settings settings, const Clock& clock,
                store::Store& store, spine::Spine& spine);
  ~RunDispatcher() override;
  RunDispatcher(const RunDispatcher&) = delete;
  RunDispatcher& operator=(const RunDispatcher&) = delete;

  // Starts the cradle, then restores the runs that were active when the last daemon exited. The
  // doors open after this (H10).
  asio::awaitable<Result<>> recover();
  // The known kinds: runs of other kinds are not touched.
  std::vector<std::string> kinds() const { return host_.kinds.names(); }
  // The remedies applied by recover().
  const RecoveryCounts& recovered() const { return restorer_.counts(); }
  // Takes no more runs, ends every one by the R7 path and returns once none is left (R18).
  asio::awaitable<void> end_all();

  asio::awaitable<Result<store::Written>> submit(Submission submission) override;
  asio::awaitable<Result<store::Written>> retry(RetryRequest again) override;
  asio::awaitable<Result<CancelOutcome>> cancel(RunId id,
                                                std::optional<std::int64_t> grace_ms) override;
  asio::awaitable<Result<>> remove(RunId id) override;
  asio::awaitable<Result<>> signal(RunId id, int number) override;
  asio::awaitable<Result<size_t>> send_input(RunId id, Input typed) override;
  asio::awaitable<Result<>> resize(RunId id, TerminalSize size) override;
  LaneControl& lanes() override { return claims_; }

 private:
  void see(const store::Written& written);
  bool settle(const run::Record& record, std::span<const run::Event> events);
  Result<> start_cradle();

  const Host host_;
  const Settings settings_;
  IdMaker ids_;
  RunDirectories directories_;
  Launcher launcher_;
  KeeperLine line_;
  Flights flights_;
  Claims claims_;
  Plans plans_;
  Attempts attempts_;
  Submissions submissions_;
  Reports reports_;
  Cancels cancels_;
  Control control_;
  Restorer restorer_;
  Leftovers leftovers_;
};

}  // namespace drover::dispatch
