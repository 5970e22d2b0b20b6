// Reports records what keepers report about their runs: a start, more output, an end, a refused
// launch. A finish is recorded however long the store is unavailable. Lives on the daemon's loop.
#pragma once

#include "dispatch/ending/attempts.h"
#include "dispatch/host.h"
#include "dispatch/launch/flights.h"
#include "dispatch/progress/progress_reports.h"
#include "process/cradle.h"

namespace drover::dispatch {

class Reports {
 public:
  // Everything borrowed must outlive it.
  Reports(const Host& host, Flights& flights, Attempts& attempts, ProgressReports& progress)
      : host_(host), flights_(flights), attempts_(attempts), progress_(progress) {}

  // False: this run's keeper sends no more reports, and its journal must be read.
  bool take(const RunId& id, const process::Report& report);

  // Does not wait for the commit: the start is in the journal already.
  void record_start(const RunId& id, WallMs at);
  // Together with the next attempt, if there is one, and with the last progress. Returns once the
  // finish is recorded.
  asio::awaitable<void> record_end(run::Ended ended);

 private:
  void record_growth(const RunId& id, const process::GrowthReport& grown);
  asio::awaitable<void> record_start_later(RunId id, WallMs at);

  const Host& host_;
  Flights& flights_;
  Attempts& attempts_;
  ProgressReports& progress_;
};

}  // namespace drover::dispatch
