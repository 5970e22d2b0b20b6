// A Restorer takes care of runs whose keeper does not report to this daemon: those that the last
// daemon left active (H10), and those whose keeper or cradle died. It reads the run's journal and
// applies the remedy (recovery.h). Doing it twice changes nothing. Lives on the daemon's loop.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <vector>

#include "base/journal.h"
#include "dispatch/ending/cancels.h"
#include "dispatch/ending/reports.h"
#include "dispatch/host.h"
#include "dispatch/launch/flights.h"
#include "dispatch/launch/keeper_launcher.h"
#include "dispatch/launch/keeper_line.h"
#include "dispatch/progress/adopted_output.h"
#include "dispatch/recovery/keeper_watch.h"
#include "dispatch/recovery/recovery.h"
#include "dispatch/recovery/sweeper.h"
#include "process/pid_ref.h"

namespace drover::dispatch {

// The parts of dispatch that a Restorer works with.
struct RestorerParts {
  Flights& flights;
  KeeperLauncher& launcher;
  KeeperLine& line;
  Reports& reports;
  Cancels& cancels;
  Sweeper& sweeper;
  AdoptedOutput& adopted_output;
};

class Restorer {
 public:
  // Everything borrowed must outlive it.
  Restorer(const Host& host, RestorerParts parts);

  // Restores the runs that the last daemon left active. Those without a keeper are concluded
  // together.
  asio::awaitable<void> restore_inherited(const std::vector<run::Record>& records);
  // Another keeper had claimed the run's file, or its keeper is gone: read the journal.
  void look_again(const RunId& id);

  // Counts inherited runs only.
  const RecoveryCounts& counts() const { return counts_; }

 private:
  // `inherited`: the last daemon left the run active.
  asio::awaitable<void> restore(run::Record record, bool inherited);
  asio::awaitable<void> apply(Remedy remedy, run::Record record, JournalState journal,
                              bool inherited);
  asio::awaitable<void> repeat_cancel(RunId id, std::int64_t grace_ms);
  asio::awaitable<void> never_start(RunId id, bool inherited);
  asio::awaitable<void> conclude(RunId id, JournalText text);
  asio::awaitable<void> conclude_inherited(RunId id, JournalText text);
  asio::awaitable<void> learn_start(RunId id);
  asio::awaitable<void> look(RunId id);
  asio::awaitable<void> look_later(RunId id);

  const Host& host_;
  RestorerParts parts_;
  process::BootId boot_;
  KeeperWatch watch_;
  RecoveryCounts counts_;
  size_t concluding_ = 0;         // Inherited runs.
  asio::steady_timer concluded_;  // Canceled after the last of them.
};

}  // namespace drover::dispatch
