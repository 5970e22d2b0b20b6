// ProgressReports records what runs say about their own progress (R12), at most once per
// limits::kProgressEveryMs for each run. A report that comes sooner replaces the one that waits,
// and is recorded when the time is over, or together with the end of its run: the last one counts,
// and it is not lost. If the daemon dies, a waiting report is lost; its caller got 202.
//
// All runs share one timer, which is only armed while a report waits. Lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <unordered_map>

#include "dispatch/dispatcher.h"
#include "dispatch/host.h"

namespace drover::dispatch {

class ProgressReports {
 public:
  // `host` must outlive it.
  explicit ProgressReports(const Host& host) : host_(host), timer_(host.loop) {}

  asio::awaitable<Result<ProgressOutcome>> say(RunId id, run::SaidProgress said);

  // The report that waits, if any, for the fact of the run's end. From now on nothing waits.
  std::optional<run::SaidProgress> take_last(const RunId& id);

  // A commit about the run: it may have started, or finished.
  void see(const run::Record& record, bool ended);

  // Records every report that waits, without waiting longer: the daemon stops.
  asio::awaitable<void> record_all();

  bool empty() const { return speakers_.empty(); }

 private:
  // A run that has said something.
  struct Speaker {
    MonoNs next_at = 0;  // Nothing is recorded before.
    bool writing = false;
    bool starting = false;  // Its start is not recorded yet.
    bool ending = false;
    std::optional<run::SaidProgress> waiting = {};

    bool is_due() const { return waiting && !writing && !starting; }
  };

  void arm(const Speaker& speaker);
  void record_due();
  void record(const RunId& id, Speaker& speaker);
  void finish_write(const RunId& id, const run::SaidProgress& said,
                    const Result<store::Written>& written);

  const Host& host_;
  std::unordered_map<RunId, Speaker> speakers_;
  asio::steady_timer timer_;
  std::optional<MonoNs> armed_for_;  // When the timer expires; not set: it is not armed.
};

}  // namespace drover::dispatch
