// How people see the inbox: a block of lines for each question, one line for each report. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>

#include "base/clock.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

// The entries in the order of the answer; open questions have a number from 1 on, by which they can
// be chosen.
std::string inbox_page(const boost::json::array& entries, const Screen& screen, WallMs now);

// One entry with everything that is known of it.
std::string entry_page(const boost::json::object& entry, const Screen& screen, WallMs now);

// The object that `inbox --json` prints for a question, or for a report.
boost::json::object entry_line(const boost::json::object& entry);

}  // namespace drover::cli
