// A Project is what drover.toml in its root says of it: who it is, and the commands that prepare it
// for being played (P2). Its document is docs/play.md. Pure, text in and project out, but for
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

// One command of the preparation.
struct Preparation {
  std::vector<std::string> argv;  // Or
  std::string shell;              // a script; never both.
  std::string cwd;                // Below the root; empty: the root.
  std::map<std::string, std::string> env;
  std::int64_t timeout_ms = 0;  // 0: none.
  bool operator==(const Preparation&) const = default;
};

struct Project {
  std::string id;
  std::string name;              // The id, if it says none.
  std::string version;           // May be empty.
  boost::json::object metadata;  // What else stands under [project].
  std::optional<Preparation> build, validate, pack;
  boost::json::object manifest;  // Fields that its manifest gets besides.
};

// Whether [play.manifest] may not have that field, because the manifest has one of its own.
bool is_manifest_field(std::string_view name);

// `bad_project` with path and line if it is no TOML, lacks its id, or holds what nobody knows.
Result<Project> parse_project(const std::string& path, std::string_view toml);

// What the drover.toml in `root` says; `no_project` if there is none.
Result<Project> load_project(const std::string& root);

}  // namespace drover::play
