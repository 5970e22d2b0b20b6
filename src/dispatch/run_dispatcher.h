// The RunDispatcher is the Dispatcher of the real daemon: it sees every run through from its
// submission to its end, with keepers that may outlive it.
//
// What is on record is the store's, and the spine shows it each commit; what its parts keep can be
// thrown away and made anew from the store and the journals at any time. It decides nothing itself:
// it hands what is asked, and what is shown, to the part whose noun it is.
//
//   submissions   new runs, and attempts by hand     claims     slots, and changes of lanes
//   flights       runs between claim and end         plans      runs that wait for others
//   reports       starts and ends, from keepers      attempts   runs that come again
//   cancels       ends before their time             control    signals, input, terminal sizes
//   restorer      runs whose keeper is not ours      leftovers  what a dead daemon left on disk
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

  // Starts the cradle, then makes true what the store says of runs that were active when the last
  // daemon went away. The doors open after this (H10).
  asio::awaitable<Result<>> recover();
  // The kinds that it knows: runs of others are left alone.
  std::vector<std::string> kinds() const { return host_.kinds.names(); }
  // What became of them.
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
