// The environment that a caller sends for its run, as JSON (R15).
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

// Ours as it is, without what an outer run was given for itself.
boost::json::object own_environment(Screen& screen);

// What this program shows the daemon of itself: DROVER_TOKEN, which a run has, or whoever was given
// one. Empty: nothing; then the socket's owner is who calls.
std::string own_token();

// A request is JSON, and carries nothing else.
Result<> check_text(std::string_view text, std::string_view option);

// NAME=VALUE, as often as `option` was given.
Result<> add_pairs(boost::json::object& out, const std::vector<std::string>& pairs,
                   const char* option);

}  // namespace drover::cli
