// Input is what is on its way to a run's standard input.
#pragma once

#include <string>
#include <string_view>

#include "cli/client.h"

namespace drover::cli {

// Offers bytes to a run and says how many it took: a reader that is slow takes fewer, and the
// rest is offered again after limits::kInputPauseMs.
Result<size_t> offer_input(Client& client, const std::string& run, std::string_view bytes);

// Tells a run that nothing more will come.
Result<> close_input(Client& client, const std::string& run);

}  // namespace drover::cli
