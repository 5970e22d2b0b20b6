// The table of `drover token ls`: valid tokens, or all, with what they permit. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <string>

#include "base/clock.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

// Empty: no token is shown.
std::string tokens_table(const boost::json::array& tokens, bool all, const Screen& screen,
                         WallMs now);

}  // namespace drover::cli
