// Sends bytes to a run's standard input.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/journal.h"
#include "cli/client/client.h"

namespace drover::cli {

// Offers bytes to a run and says how many it took: a reader that is slow takes fewer, and the
// rest is offered again after limits::kInputPauseMs.
// `at`: the terminal they were typed at; a run with a terminal takes its size on.
Result<size_t> offer_input(Client& client, const std::string& run, std::string_view bytes,
                           const std::optional<TerminalSize>& at = {});

// Tells a run that nothing more will come.
Result<> close_input(Client& client, const std::string& run);

}  // namespace drover::cli
