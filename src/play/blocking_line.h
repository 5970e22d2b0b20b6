// A validation may let the pack pass by its exit code, and yet block it by a line that it printed
// (P1, play/diagnostics.h). If its output cannot be read completely, the missing part may hold such
// a line, so the pack is blocked then too.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>

#include "base/home.h"
#include "play/phase.h"
#include "run/record.h"

namespace drover::play {

// Reads the output of an ended validation; other coroutines of the loop run in between. Nothing:
// the pack may begin.
boost::asio::awaitable<std::optional<PlayChange>> find_blocking_line(Home home,
                                                                     run::Record validation);

}  // namespace drover::play
