// Alarms are the times at which held runs are looked at again (R17): their start times, such as the
// end of the pause before another attempt. All share one timer, which is only armed while there is
// an alarm. Times are wall times, as recorded. Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/id.h"

namespace drover::dispatch {

namespace asio = boost::asio;

class Alarms {
 public:
  // `clock` must outlive it. `due` is called on the loop, once for each alarm.
  Alarms(asio::any_io_executor loop, const Clock& clock, std::function<void(const RunId&)> due)
      : clock_(clock), due_(std::move(due)), timer_(std::move(loop)) {}

  // Setting the same alarm twice has no further effect.
  void set(const RunId& id, WallMs at);

 private:
  void arm();
  void ring();

  const Clock& clock_;
  std::function<void(const RunId&)> due_;
  std::set<std::pair<WallMs, RunId>> alarms_;
  asio::steady_timer timer_;
};

}  // namespace drover::dispatch
