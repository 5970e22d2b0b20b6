// Lane control is what the doors ask and change of lanes (R16).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/lanes.h"
#include "store/store.h"

namespace drover::dispatch {

namespace asio = boost::asio;

class LaneControl {
 public:
  virtual ~LaneControl() = default;

  // A lane that is paused starts nothing; one that is draining takes nothing new.
  virtual asio::awaitable<Result<store::Lane>> set(store::LaneSet wish) = 0;
  virtual asio::awaitable<Result<>> remove(std::string lane) = 0;
  // A queued run, to another lane or another place in its own.
  virtual asio::awaitable<Result<run::Record>> move(run::Moved wish) = 0;

  // How many go before a queued run. Nothing: it stands in no queue.
  virtual std::optional<size_t> ahead_of(const run::Record& record) const = 0;
  // How many runs are active and waiting, for `status`.
  virtual size_t active() const = 0;
  virtual size_t queued() const = 0;
  // The same by lane, with their limits: what is at hand, for metrics.
  virtual std::vector<LaneNumbers> numbers() const = 0;
};

}  // namespace drover::dispatch
