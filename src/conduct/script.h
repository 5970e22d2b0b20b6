// A Script sees the composites of one kind (run/kind.h) through, as straight-line code: it asks for
// a run, waits until that has ended, records how far the composite has come, and so on to the end.
// A room brings one for each kind of composites it has.
//
// A script keeps nothing in memory that matters. The next daemon calls it again from its first
// line, and every step of it finds what was done before: a child that is asked for under the same
// key is the same child, and a change of the phase that was recorded before changes nothing.
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
  std::string kind;  // Of the composites that it sees through.
  // The kinds of the runs that it asks for. Others that name the composite as their parent are not
  // its own.
  std::vector<std::string> children;
  // Called once per daemon for each active composite, with its record. It returns when the
  // composite has ended, or when this daemon can do no more for it.
  std::function<asio::awaitable<void>(Composite&, run::Record)> see_through;
};

}  // namespace drover::conduct
