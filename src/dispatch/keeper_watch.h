// A keeper watch waits for the end of a keeper that this daemon's cradle does not report on: one
// that an earlier daemon started. It goes by the keeper's pidfd; what happened is in the journal.
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
  // Called on the loop once nobody holds the directory's lock any more.
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
