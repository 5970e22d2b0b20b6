// The Timetable fires the triggers that have a schedule, and polls those of feeds and pages. It
// asks the store which are due, decides about each (due.h), lets Firing record occurrences and
// start runs, and sleeps until the next due time: one timer for all triggers, and nothing in memory
// for those that are not due.
//
// If the store cannot be written, a trigger keeps its position and is tried again. No trigger waits
// for the run of another.
//
// Lives on the daemon's loop. Everything borrowed must outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>

#include "base/clock.h"
#include "store/read_pool.h"
#include "triggers/firing/firing.h"
#include "triggers/poll/poller.h"
#include "triggers/time/time_changes.h"
#include "work/wall_timer.h"

namespace drover::triggers {

class Timetable {
 public:
  Timetable(asio::any_io_executor loop, const Clock& clock, store::ReadPool& reads, Firing& firing,
            Poller& poller, std::unique_ptr<work::WallTimer> timer);
  ~Timetable();

  // Call it after the daemon's recovery: what became due while no daemon ran is decided first.
  void begin();
  // A trigger was added or changed: it may be due earlier than the others.
  void wake();

 private:
  struct Shared;  // Outlives this object while a firing is active.

  asio::awaitable<void> keep_firing(std::shared_ptr<Shared> shared);
  // False: try again later.
  asio::awaitable<bool> fire_due(std::shared_ptr<Shared> shared);
  asio::awaitable<bool> fire_one(StoredTrigger trigger);
  asio::awaitable<void> poll_one(std::shared_ptr<Shared> shared, StoredTrigger trigger,
                                 TriggerSpec spec);

  const asio::any_io_executor loop_;
  const Clock& clock_;
  const WallMs began_;  // When this daemon started.
  store::ReadPool& reads_;
  Firing& firing_;
  Poller& poller_;
  TimeChanges changes_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace drover::triggers
