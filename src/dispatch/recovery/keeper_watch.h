// A KeeperWatch waits for the exit of a keeper that an earlier daemon started, because this
// daemon's cradle does not report on it. It waits on the keeper's pidfd; the caller then reads the
// run's journal. Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/home.h"
#include "base/id.h"
#include "base/journal.h"

namespace drover::dispatch {

namespace asio = boost::asio;

class KeeperWatch {
 public:
  // Called on the loop once the lock of the run's journal is free.
  using OnGone = std::function<void(const RunId&)>;

  KeeperWatch(asio::any_io_executor loop, Home home, OnGone on_gone)
      : loop_(std::move(loop)),
        home_(std::move(home)),
        on_gone_(std::make_shared<OnGone>(std::move(on_gone))) {}

  void watch(const RunId& id);

 private:
  asio::any_io_executor loop_;
  Home home_;
  std::shared_ptr<OnGone> on_gone_;
};

}  // namespace drover::dispatch
