// The table of `ps` and `top`: a line for each run. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <string>

#include "base/clock.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

// A header, then a line for each of `runs`, none wider than `width`.
std::string runs_table(const boost::json::array& runs, const Screen& screen, WallMs now,
                       size_t width);

}  // namespace drover::cli
