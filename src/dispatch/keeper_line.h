// A keeper line is how the daemon talks to a keeper while its command runs. A keeper listens only
// once its command has outlived a few milliseconds, so calling it may mean waiting for that, or for
// its end.
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

  // Sends one message and returns the keeper's errno (0: done). Tries again while nobody listens
  // and `is_live()` holds; ESRCH once it does not, ETIMEDOUT after a few seconds: its socket may
  // have gone with its directory.
  asio::awaitable<Result<int>> tell(RunId id, process::ControlOp op, std::int64_t argument,
                                    std::string payload, std::function<bool()> is_live);

  // Removes what a keeper that was killed has left of its end. Only once it is dead.
  void hang_up(const RunId& id) const;

 private:
  asio::any_io_executor loop_;
  Home home_;
};

}  // namespace drover::dispatch
