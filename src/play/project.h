// A Project is the content of a drover.toml: the project's identity, and the commands that prepare
// it for a play (P2). The format is in docs/play.md. Pure, text in and project out, except for
// `load_project`.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::play {

inline constexpr std::string_view kProjectFile = "drover.toml";

// One command of the preparation: a list of words or a shell script, never both.
struct Preparation {
  std::vector<std::string> argv;
  std::string shell;
  std::string cwd;  // Relative to the root; empty: the root.
  std::map<std::string, std::string> env;
  std::int64_t timeout_ms = 0;  // 0: none.
  bool operator==(const Preparation&) const = default;
};

struct Project {
  std::string id;
  std::string name;              // The id if the file gives no name.
  std::string version;           // May be empty.
  boost::json::object metadata;  // The other keys under [project].
  std::optional<Preparation> build, validate, pack;
  boost::json::object manifest;  // Additional fields of its manifest.
};

// Whether [play.manifest] may not use this field because the manifest has its own of that name.
bool is_manifest_field(std::string_view name);

// `bad_project`, with path and line, if the text is not TOML, has no id, or has an unknown key.
Result<Project> parse_project(const std::string& path, std::string_view toml);

// The project in `root`; `no_project` if it has no drover.toml.
Result<Project> load_project(const std::string& root);

}  // namespace drover::play
