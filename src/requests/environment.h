// The environment of a run (R15): the daemon's environment, minus variables that must not leak into
// other people's commands (W3), plus the variables in the request. The command line sends its whole
// environment, and then none of the daemon's is used.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace drover::requests {

// Keys of model providers, and Drover's own variables except DROVER_HOME and DROVER_SECRET_ENV.
bool is_withheld(std::string_view name);

// "NAME=value" variables without the withheld ones. Called once, when the server is created.
std::vector<std::string> inheritable(std::vector<std::string> environment);

// The environment of a run: `inherited` (empty for a caller that sends its own), overridden by
// `added`, with `programs`, Drover's own directory, at the end of PATH.
std::vector<std::string> compose(const std::vector<std::string>& inherited,
                                 const std::map<std::string, std::string>& added,
                                 std::string_view programs);

// Sets DROVER_SECRET_ENV in `added` to the names of the variables that were given for this run, so
// that their values are never shown (run/secrets.h). Leaves out variables with plain values. Keeps
// the names that the variable already has in `inherited` and in `added`.
void note_given(const std::vector<std::string>& inherited,
                std::map<std::string, std::string>& added);

}  // namespace drover::requests
