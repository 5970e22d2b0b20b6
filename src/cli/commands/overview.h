// `drover` without a command: shows active runs and commands to continue with. It never starts a
// daemon.
#pragma once

#include <array>

#include "base/result.h"
#include "cli/command.h"

namespace drover::cli {

inline constexpr auto kNextCommands = std::to_array<Example>({
    {"drover run -- COMMAND", "Run a command and wait for it"},
    {"drover ps", "List active and recent runs"},
    {"drover logs -f RUN", "Follow the output of a run"},
    {"drover why RUN", "Explain why a run waits, hangs or failed"},
    {"drover help", "List all commands"},
});

Result<int> overview(Context& context);

}  // namespace drover::cli
