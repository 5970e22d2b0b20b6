// A Host is the set of objects that every part of dispatch borrows from the daemon: the loop, the
// home, the clock, the store's readers, the spine and the kinds of runs. They must outlive the
// parts.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>

#include "base/clock.h"
#include "base/home.h"
#include "run/kind.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "store/store.h"

namespace drover::dispatch {

namespace asio = boost::asio;

// The pause before a write is tried again (a full disk, for example): a finish must never be lost.
inline constexpr std::chrono::milliseconds kWriteAgain{500};

struct Host {
  asio::any_io_executor loop;
  Home home;
  const Clock& clock;
  store::ReadPool& reads;  // Reads beside the loop. Only recovery reads the store on the loop.
  spine::Spine& spine;
  const run::Kinds& kinds;

  void spawn(asio::awaitable<void> work) const;
  asio::awaitable<void> pause(std::chrono::milliseconds time) const;
};

}  // namespace drover::dispatch
