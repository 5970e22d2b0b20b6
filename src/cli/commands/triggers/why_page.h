// The page of `drover why TRIGGER`: what became of a due time or an event, and how the trigger
// stands. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/clock.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

std::string trigger_why_page(const boost::json::object& why, const Screen& screen, WallMs now);

}  // namespace drover::cli
