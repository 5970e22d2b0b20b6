// Parts are the objects of the daemon that a script uses. Everything borrowed must outlive the
// Conductor.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <string>

#include "base/home.h"
#include "bus/bell.h"
#include "dispatch/dispatcher.h"
#include "run/kind.h"
#include "spine/spine.h"
#include "store/read_pool.h"

namespace drover::conduct {

struct Parts {
  boost::asio::any_io_executor loop;
  Home home;
  // Directory of Drover's programs; appended to a PATH that a child's spec sets.
  std::string programs;
  store::ReadPool& reads;
  bus::Bell& bell;
  dispatch::Dispatcher& dispatcher;
  spine::Recorder record;
  const run::Kinds& kinds;
};

}  // namespace drover::conduct
