// The drover.toml that `drover init` writes: a project that is playable as soon as it has a
// runtime, with every other key explained in comments. The daemon's tests parse it.
#pragma once

#include <string>
#include <string_view>

namespace drover::wire::play {

// `id` must be a valid project id (project_id.h).
inline std::string example_project(std::string_view id) {
  constexpr std::string_view kText =
      R"(# The settings of this project for Drover. `drover play` runs the steps below in
# this order: build, validate, pack. Then it writes build/manifest.json and
# starts the project's runtime in this directory:
#
#     <runtimePath> run build
#
# The path of the runtime depends on the machine. Set it in .drover/setup.json:
#     {"runtimePath": "/path/to/the/runtime"}

[project]
id = "@ID@"
name = "@ID@"
version = "0.1.0"
# All other keys are copied into the manifest: text, whole numbers, true or
# false, lists, tables.
# authors = ["somebody"]

[play]
# A step is a script for /bin/sh, or a list of words. If a step fails, the play
# stops. A step that is not set is skipped.
build = "mkdir -p build && echo 'nothing to build yet' > build/readme.txt"

# The validate step can print diagnostics as JSON, one per line:
#     {"severity": "error", "message": "no way out", "file": "a.txt", "line": 3}
# An exit code other than 0, or "blocking": true, prevents the pack step.
# validate = ["./check-assets", "--strict"]

# A step can also set its directory (below this one), additional environment
# variables and a timeout.
# pack = { command = ["./pack"], cwd = "tools", env = { LEVEL = "9" }, timeout = "5m" }

# More fields for build/manifest.json.
# [play.manifest]
# engine = 2
)";
  constexpr std::string_view kMark = "@ID@";
  std::string out;
  std::string_view rest = kText;
  for (size_t at = rest.find(kMark); at != std::string_view::npos; at = rest.find(kMark)) {
    out.append(rest.substr(0, at)).append(id);
    rest.remove_prefix(at + kMark.size());
  }
  return out.append(rest);
}

}  // namespace drover::wire::play
