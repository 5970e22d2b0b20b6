// Sends bytes to a run's standard input.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/journal.h"
#include "cli/client/client.h"

namespace drover::cli {

// Offers bytes to a run and returns how many it took. A slow reader takes fewer; the caller offers
// the rest again after limits::kInputPauseMs. `at` is the size of the terminal that the bytes were
// typed at: a run with a terminal adopts that size.
Result<size_t> offer_input(Client& client, const std::string& run, std::string_view bytes,
                           const std::optional<TerminalSize>& at = {});

// Closes the run's standard input.
Result<> close_input(Client& client, const std::string& run);

}  // namespace drover::cli
