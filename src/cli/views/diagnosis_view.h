// The part of `why` about a running run: findings first, then the processes they are about.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/clock.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

// Replaces RUN in the suggestions with `run`. Empty if `diagnosis` is.
std::string diagnosis_lines(const boost::json::object& diagnosis, const std::string& run,
                            const Screen& screen, WallMs now);

}  // namespace drover::cli
