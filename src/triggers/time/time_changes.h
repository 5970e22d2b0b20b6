// TimeChanges corrects stored times that are no longer right, for one of two reasons:
//
//  - The tz database has changed. Each trigger in a changed zone then stands at the first due time
//    after the newest one in its ledger: an update may also have moved a due time to an earlier
//    time, before the one that was stored. Found when the daemon starts, and once in kZoneCheckMs.
//  - The clock was set back. The next polls of feeds and pages are not later than the longest wait
//    from now (poll/poll_plan.h). Found when the daemon starts, and by `check`.
//
// Lives on the daemon's loop. Everything borrowed must outlive it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "base/clock.h"
#include "spine/spine.h"
#include "store/read_pool.h"

namespace drover::triggers {

class TimeChanges {
 public:
  TimeChanges(const Clock& clock, store::ReadPool& reads, spine::Recorder record)
      : clock_(clock), reads_(reads), record_(std::move(record)) {}

  // Call it before triggers that are due are decided. `unavailable`: call it again.
  boost::asio::awaitable<Result<>> check();
  // When to call it at the latest.
  WallMs next_check_at() const { return next_zone_check_; }

 private:
  boost::asio::awaitable<Result<>> follow_zones();
  boost::asio::awaitable<Result<>> follow_zone(std::string version);
  boost::asio::awaitable<Result<>> hasten_polls();

  const Clock& clock_;
  store::ReadPool& reads_;
  const spine::Recorder record_;
  WallMs next_zone_check_ = 0;
  // The wall clock minus the time that has passed; 0: not known. It decreases if the clock is set
  // back.
  WallMs epoch_ = 0;
};

}  // namespace drover::triggers
