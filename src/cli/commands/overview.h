// `drover` without a command: shows active runs and commands to continue with. It never starts a
// daemon.
#pragma once

#include <array>
#include <boost/json/array.hpp>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

inline constexpr auto kNextCommands = std::to_array<Example>({
    {"drover run -- COMMAND", "Run a command and wait for it"},
    {"drover ps", "List active and recent runs"},
    {"drover logs -f RUN", "Follow the output of a run"},
    {"drover why RUN", "Explain why a run waits, hangs or failed"},
    {"drover help", "List all commands"},
});

// `runs`: the active runs, at least one more than is shown if there are more. None: no daemon is
// running.
std::string overview_page(const std::optional<boost::json::array>& runs, const Screen& screen,
                          WallMs now);

Result<int> overview(Context& context);

}  // namespace drover::cli
