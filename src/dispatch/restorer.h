// A Restorer takes care of runs whose keeper does not report to this daemon: those that the last
// daemon left active (H10), and those whose keeper or cradle died. It reads the run's journal and
// applies the remedy (recovery.h). Doing it twice changes nothing. Lives on the daemon's loop.
#pragma once

#include <string>

#include "base/journal.h"
#include "dispatch/cancels.h"
#include "dispatch/flights.h"
#include "dispatch/host.h"
#include "dispatch/keeper_line.h"
#include "dispatch/keeper_watch.h"
#include "dispatch/launcher.h"
#include "dispatch/recovery.h"
#include "dispatch/reports.h"
#include "dispatch/run_directories.h"
#include "process/pid_ref.h"

namespace drover::dispatch {

// The parts of dispatch that a Restorer works with.
struct RestorerParts {
  Flights& flights;
  Launcher& launcher;
  KeeperLine& line;
  Reports& reports;
  Cancels& cancels;
  RunDirectories& directories;
};

class Restorer {
 public:
  // Everything borrowed must outlive it. `cgroups` is the directory of the runs' cgroups, or empty.
  Restorer(const Host& host, RestorerParts parts, std::string cgroups);

  // `inherited`: the last daemon left the run active.
  asio::awaitable<void> restore(run::Record record, bool inherited);
  // Another keeper had claimed the run's directory, or its keeper is gone: read the journal.
  void look_again(const RunId& id);

  // Counts inherited runs only.
  const RecoveryCounts& counts() const { return counts_; }

 private:
  asio::awaitable<void> apply(Remedy remedy, run::Record record, Probe probe, bool inherited);
  asio::awaitable<void> never_start(RunId id, bool inherited);
  asio::awaitable<void> conclude(RunId id, JournalText text);
  asio::awaitable<void> kill_remaining(RunId id);
  asio::awaitable<void> learn_start(RunId id);
  asio::awaitable<void> look_later(RunId id);

  const Host& host_;
  RestorerParts parts_;
  std::string cgroups_;
  process::BootId boot_;
  KeeperWatch watch_;
  RecoveryCounts counts_;
};

}  // namespace drover::dispatch
