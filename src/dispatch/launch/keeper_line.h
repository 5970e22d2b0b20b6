// A KeeperLine sends messages to a keeper while its command runs. A keeper listens only once its
// command has run for a few milliseconds, so a call may have to wait for that, or for the end of
// the command. Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>

#include "base/home.h"
#include "base/id.h"
#include "process/control.h"

namespace drover::dispatch {

namespace asio = boost::asio;

class KeeperLine {
 public:
  KeeperLine(asio::any_io_executor loop, Home home)
      : loop_(std::move(loop)), home_(std::move(home)) {}

  // Sends one message and returns the keeper's errno (0: done). Tries again while the keeper does
  // not listen and `is_live()` is true; ESRCH once it is false; ETIMEDOUT after a few seconds,
  // because the socket may have been removed with its directory.
  asio::awaitable<Result<int>> send(RunId id, process::ControlOp op, std::int64_t argument,
                                    std::string payload, std::function<bool()> is_live);

  // Removes the socket of a keeper that was killed. Call it only once the keeper is dead.
  void hang_up(const RunId& id) const;

 private:
  void remind(const RunId& id) const;

  asio::any_io_executor loop_;
  Home home_;
};

}  // namespace drover::dispatch
