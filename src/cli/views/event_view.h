// An event as `drover events` prints it: one line. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/terminal/screen.h"

namespace drover::cli {

// "2026-11-15 10:58:25.123  run_…  run.failed  exit 2 · exited with code 2", no wider than the
// screen. On a narrow screen, without the date and with a short id.
std::string event_line(const boost::json::object& event, const Screen& screen);

}  // namespace drover::cli
