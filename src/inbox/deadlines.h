// Deadlines expires the questions whose deadline has passed: one timer for all of them, set to the
// earliest deadline. It keeps nothing in memory and asks the store, also when the daemon starts, so
// a deadline that passed meanwhile is recorded then. If the store is unavailable, it tries again.
//
// Lives on the daemon's loop. Everything borrowed must outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>

#include "base/clock.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "work/wall_timer.h"

namespace drover::inbox {

namespace asio = boost::asio;

class Deadlines {
 public:
  Deadlines(asio::any_io_executor loop, const Clock& clock, store::ReadPool& reads,
            spine::Recorder record, std::unique_ptr<work::WallTimer> timer);
  ~Deadlines();

  void begin();
  // A question was asked: it may be due earlier than the others.
  void wake();

 private:
  struct Shared;  // Outlives this object while a commit is awaited.

  asio::awaitable<void> keep_expiring(std::shared_ptr<Shared> shared);
  // False: try again later.
  asio::awaitable<bool> expire_due(std::shared_ptr<Shared> shared);

  const asio::any_io_executor loop_;
  const Clock& clock_;
  store::ReadPool& reads_;
  const spine::Recorder record_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace drover::inbox
