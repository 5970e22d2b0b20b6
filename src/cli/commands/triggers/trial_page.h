// The page of `drover trigger test`: the checks, and the run that would start. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/clock.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

std::string trial_page(const boost::json::object& trial, const Screen& screen, WallMs now);

}  // namespace drover::cli
