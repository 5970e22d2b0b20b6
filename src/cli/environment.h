// The environment variables that this program sends for a run, as JSON (R15).
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

// Our environment, without the variables that an outer run has for itself.
boost::json::object own_environment(Screen& screen);

// The token that this program sends to the daemon: DROVER_TOKEN. Every run has one; a user may set
// one. Empty: none, and the daemon treats the caller as the owner of the socket.
std::string own_token();

// Fails if `text` cannot be sent as JSON.
Result<> check_text(std::string_view text, std::string_view option);

// Adds the variables of these files, noted as given; a later file replaces those of an earlier one.
Result<> add_env_files(boost::json::object& environment, const std::vector<std::string>& paths);

// Adds the NAME=VALUE pairs of an option that may be repeated. Those of --env are noted as given.
Result<> add_pairs(boost::json::object& out, const std::vector<std::string>& pairs,
                   const char* option);

}  // namespace drover::cli
