// The table of `drover lane ls`: each lane with its limit, its runs and its state. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <string>

#include "base/clock.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

std::string lanes_table(const boost::json::array& lanes, const Screen& screen, WallMs now);

}  // namespace drover::cli
