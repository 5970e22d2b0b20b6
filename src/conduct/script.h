// A Script takes the composites of one kind (run/kind.h) from start to finish, as straight-line
// code: it submits a run, waits until that has finished, records the composite's progress, and so
// on. A room has one for each of its kinds of composites.
//
// A script keeps no state in memory that matters. The next daemon calls it again from its first
// line, and every step finds what was done before: a child that is asked for under the same key is
// the same child, and a change of the phase that was recorded before changes nothing.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <vector>

#include "run/record.h"

namespace drover::conduct {

namespace asio = boost::asio;

class Composite;

struct Script {
  std::string kind;  // Of its composites.
  // The kinds of the runs that it submits. Other runs that name the composite as their parent are
  // not its own.
  std::vector<std::string> children;
  // Called once per daemon for each active composite, with its record. It returns when the
  // composite has finished, or when this daemon can do no more for it.
  std::function<asio::awaitable<void>(Composite&, run::Record)> see_through;
};

}  // namespace drover::conduct
