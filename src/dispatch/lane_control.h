// LaneControl is the interface through which the doors read and change lanes (R16).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/queue/lanes.h"
#include "store/store.h"

namespace drover::dispatch {

namespace asio = boost::asio;

class LaneControl {
 public:
  virtual ~LaneControl() = default;

  // A paused lane starts no runs; a draining one accepts no new runs.
  virtual asio::awaitable<Result<store::Lane>> set(store::LaneSet wish) = 0;
  virtual asio::awaitable<Result<>> remove(std::string lane) = 0;
  // Moves a queued run to another lane, or to another place in its own.
  virtual asio::awaitable<Result<run::Record>> move(run::Moved wish) = 0;

  // How many runs are before a queued one. Nothing: it is in no queue.
  virtual std::optional<size_t> ahead_of(const run::Record& record) const = 0;
  // The number of active and of waiting runs, for `status`.
  virtual size_t active() const = 0;
  virtual size_t queued() const = 0;
  // The same by lane, with their limits, for metrics; does not query the store.
  virtual std::vector<LaneNumbers> numbers() const = 0;
};

}  // namespace drover::dispatch
