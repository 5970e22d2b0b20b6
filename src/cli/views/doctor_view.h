// The findings of `drover doctor`, and their page. Pure.
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
  bool noteworthy = false;  // Nothing is wrong, but the user may want to change it.
};

// The findings about the daemon, its limits and its followers, from its status or the error instead
// of it.
std::vector<Finding> findings_of(const Result<boost::json::object>& status);

std::string doctor_page(const std::vector<Finding>& findings, const Screen& screen);

}  // namespace drover::cli
