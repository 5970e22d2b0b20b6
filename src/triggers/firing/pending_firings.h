// PendingFirings starts the runs of pending occurrences: events that are in the ledger and have no
// run yet. It asks the store when the daemon starts, and after each event `trigger.pending` in the
// log; so an event whose daemon died gets its run from the next one, once. A trigger that cannot
// fire now keeps the order of its events and delays no other trigger.
//
// Lives on the daemon's loop. Everything borrowed must outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>

#include "bus/bell.h"
#include "store/read_pool.h"
#include "triggers/firing/firing.h"
#include "triggers/limits.h"

namespace drover::triggers {

class PendingFirings {
 public:
  // `retry_after`: how long to wait while the store is unavailable.
  PendingFirings(asio::any_io_executor loop, store::ReadPool& reads, bus::Bell& bell,
                 Firing& firing,
                 std::chrono::milliseconds retry_after = std::chrono::milliseconds(kStoreRetryMs));
  ~PendingFirings();

  void begin();

 private:
  struct Shared;

  asio::awaitable<void> keep_firing(std::shared_ptr<Shared> shared);
  // False: something could not be fired now; try again.
  asio::awaitable<bool> fire_pending(std::shared_ptr<Shared> shared);
  asio::awaitable<bool> fire_one(PendingKey pending);

  const asio::any_io_executor loop_;
  store::ReadPool& reads_;
  bus::Bell& bell_;
  Firing& firing_;
  const std::chrono::milliseconds retry_after_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace drover::triggers
