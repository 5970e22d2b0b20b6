// The environment of a run (R15): what the daemon was started with, minus what must not leak into
// commands that others ask for (W3), then what the request adds. The command line sends its own
// environment whole, and then nothing of the daemon's is used.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace drover::api {

// Keys of model providers and Drover's own variables, except where its home is.
bool is_withheld(std::string_view name);

// "NAME=value" variables, without what is withheld. Asked once, when the server is made.
std::vector<std::string> inheritable(std::vector<std::string> environment);

// What a run sees: `inherited` (empty for a caller that sends its own), `added` over it, and
// `programs`, Drover's own directory, at the end of PATH.
std::vector<std::string> compose(const std::vector<std::string>& inherited,
                                 const std::map<std::string, std::string>& added,
                                 std::string_view programs);

}  // namespace drover::api
