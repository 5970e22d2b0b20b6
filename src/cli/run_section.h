// A RunSection is what a room adds to the pages of `show` and `why` about a run. A room provides it
// with its commands.
#pragma once

#include <cstdint>
#include <string>

namespace drover::cli {

struct Context;

enum class RunPage : std::uint8_t { show, why };

// The lines below the page; empty: the room has nothing about this run.
using RunSection = std::string (*)(Context& context, RunPage page, const std::string& run_id);

}  // namespace drover::cli
