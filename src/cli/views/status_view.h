// The page of `drover status`: the daemon, what needs it, and its paths. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/clock.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

std::string status_page(const boost::json::object& status, const Screen& screen, WallMs now);

}  // namespace drover::cli
