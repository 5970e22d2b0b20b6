// Withdrawals closes the questions that a process of a run waits for when the run finishes: nobody
// reads an answer any more. A question that was asked without waiting stays open.
//
// Only runs with such a question are watched; all others cost nothing.
//
// Lives on the daemon's loop. Everything borrowed must outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>

#include "base/id.h"
#include "bus/bell.h"
#include "inbox/inbox.h"
#include "store/read_pool.h"

namespace drover::inbox {

class Withdrawals {
 public:
  Withdrawals(asio::any_io_executor loop, bus::Bell& bell, store::ReadPool& reads, Inbox& inbox);
  ~Withdrawals();

  // Watches the runs of all open questions, those of an earlier daemon too.
  void begin();
  // A question was asked.
  void see(const Entry& question);

 private:
  struct Shared;  // Outlives this object while an event is awaited.

  asio::awaitable<void> watch_all(std::shared_ptr<Shared> shared);
  asio::awaitable<void> watch(std::shared_ptr<Shared> shared, RunId run);
  // Returns when the run has finished or was deleted.
  asio::awaitable<void> await_end(std::shared_ptr<Shared> shared, RunId run);

  const asio::any_io_executor loop_;
  bus::Bell& bell_;
  store::ReadPool& reads_;
  Inbox& inbox_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace drover::inbox
