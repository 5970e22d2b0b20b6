// What `drover doctor` found, and its page. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

struct Finding {
  std::string what;
  bool good = true;
  std::string detail;
  bool noteworthy = false;  // Nothing is wrong, but somebody may want to change it.
};

// What the daemon's status, or its absence, says of the daemon, its limits and its followers.
std::vector<Finding> findings_of(const Result<boost::json::object>& status);

std::string doctor_page(const std::vector<Finding>& findings, const Screen& screen);

}  // namespace drover::cli
