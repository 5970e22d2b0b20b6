// A blocking line is a part of a validation's output, of one or more lines on either stream, that
// blocks the pack although the exit code does not (P1, play/diagnostic_scan.h). If a part of the
// output is missing or unreadable, the pack is blocked too, because that part may be such a line.
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
