// A blocking line is a line of a validation's output that blocks the pack although the exit code
// does not (P1, play/diagnostics.h). If the output is not completely readable, the missing part may
// contain such a line, so the pack is blocked then too.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>

#include "base/home.h"
#include "play/phase.h"
#include "run/record.h"

namespace drover::play {

// Reads the output of a finished validation; other coroutines of the loop run in between. Empty:
// the pack may begin.
boost::asio::awaitable<std::optional<PlayChange>> find_blocking_line(Home home,
                                                                     run::Record validation);

}  // namespace drover::play
