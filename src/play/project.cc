#include "play/project.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <cerrno>

#include "base/clock.h"
#include "base/fd.h"
#include "base/limits.h"
#include "config/read_toml.h"
#include "play/limits.h"
#include "run/spec.h"
#include "wire/play/project_id.h"

namespace drover::play {
namespace {

// Reads one file, and stops at the first error.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  Result<Project> read(const toml::table& all) {
    for (const auto& [key, node] : all) {
      // The declared triggers of the project; their room reads them.
      if (key == "trigger") continue;
      if (key != "project" && key != "play")
        refuse(node, key, "is unknown; the sections are [project], [play] and [[trigger]]");
    }
    if (const toml::table* table = table_of(all, "project")) {
      identity(*table);
    } else {
      refuse(all, "project", "is missing: add [project] with id = \"…\"");
    }
    if (const toml::table* table = table_of(all, "play")) play(*table);
    if (bad_) return std::unexpected(*bad_);
    if (project_.name.empty()) project_.name = project_.id;
    return std::move(project_);
  }

 private:
  void refuse(const toml::node& node, std::string_view key, std::string_view why) {
    if (bad_) return;
    bad_ = Error{
        ErrorCode::invalid, "bad_project",
        fmt::format("{}:{}: {} {}", path_, std::max<size_t>(1, node.source().begin.line), key, why),
        std::string(key)};
  }

  const toml::table* table_of(const toml::table& in, std::string_view key) {
    const toml::node* node = in.get(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table())
      refuse(*node, key, "must be a section: write [" + std::string(key) + "]");
    return node->as_table();
  }

  std::string text_of(const toml::node& node, std::string_view key) {
    if (const auto* text = node.as_string()) return text->get();
    refuse(node, key, "must be text, in quotes");
    return "";
  }

  // Text that fits into a table of runs and projects: one line.
  std::string line_of(const toml::node& node, std::string_view key) {
    std::string text = text_of(node, key);
    if (text.size() > limits::kNameBytesMax ||
        std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7F; })) {
      refuse(node, key, fmt::format("must be one line of at most {} bytes", limits::kNameBytesMax));
    }
    return text;
  }

  boost::json::value json_of(const toml::node& node, std::string_view key, size_t depth = 0) {
    if (depth > kManifestNestingMax) {
      refuse(node, key, fmt::format("is nested more than {} levels deep", kManifestNestingMax));
      return nullptr;
    }
    if (const auto* text = node.as_string()) return boost::json::string(text->get());
    if (const auto* number = node.as_integer()) return number->get();
    if (const auto* flag = node.as_boolean()) return flag->get();
    if (const auto* list = node.as_array()) {
      boost::json::array out;
      for (const toml::node& one : *list) out.push_back(json_of(one, key, depth + 1));
      return out;
    }
    if (const auto* table = node.as_table()) {
      boost::json::object out;
      for (const auto& [name, one] : *table)
        out[std::string(name.str())] = json_of(one, key, depth + 1);
      return out;
    }
    // A fraction or a date can be written in more than one way, and the manifest must have the same
    // bytes everywhere.
    refuse(node, key, "must be text, a whole number, true or false, or a list or table of these");
    return nullptr;
  }

  void identity(const toml::table& table) {
    for (const auto& [key, node] : table) {
      if (key == "id") {
        project_.id = text_of(node, key);
        if (!wire::play::is_project_id(project_.id)) {
          refuse(node, key,
                 "must have 1 to 64 characters of a-z, 0-9, . _ - and must not start with . or -");
        }
      } else if (key == "name") {
        project_.name = line_of(node, key);
      } else if (key == "version") {
        project_.version = line_of(node, key);
      } else {
        project_.metadata[std::string(key.str())] = json_of(node, key);
      }
    }
    if (project_.id.empty())
      refuse(table, "id", "is missing: add a short name, such as \"my-game\"");
  }

  void play(const toml::table& table) {
    for (const auto& [key, node] : table) {
      if (key == "build") {
        project_.build = preparation(node, key);
      } else if (key == "validate") {
        project_.validate = preparation(node, key);
      } else if (key == "pack") {
        project_.pack = preparation(node, key);
      } else if (key == "manifest") {
        manifest_fields(node);
      } else {
        refuse(node, key, "is unknown; [play] has build, validate, pack and manifest");
      }
    }
  }

  void manifest_fields(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr)
      return refuse(node, "manifest", "must be a section: write [play.manifest]");
    for (const auto& [key, one] : *table) {
      if (is_manifest_field(key))
        refuse(one, key, "is reserved in the manifest; choose another name");
      project_.manifest[std::string(key.str())] = json_of(one, key);
    }
  }

  // A script, a list of words, or a table with one of them and options.
  Preparation preparation(const toml::node& node, std::string_view key) {
    Preparation out;
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      command(node, key, out);
      check_runnable(node, key, out);
      return out;
    }
    for (const auto& [name, one] : *table) {
      if (name == "command" || name == "shell") {
        command(one, name, out);
      } else if (name == "cwd") {
        out.cwd = text_of(one, name);
        if (out.cwd.starts_with('/') || out.cwd.contains('\0') || leaves(out.cwd)) {
          refuse(one, name, "must be a path below the project");
        }
      } else if (name == "env") {
        environment(one, out);
      } else if (name == "timeout") {
        const auto ms = parse_duration_ms(text_of(one, name), name);
        if (!ms) refuse(one, name, "is wrong: " + ms.error().message);
        out.timeout_ms = ms.value_or(0);
      } else {
        refuse(one, name, "is unknown; a step has command or shell, cwd, env and timeout");
      }
    }
    if (out.argv.empty() && out.shell.empty()) refuse(node, key, "has neither command nor shell");
    if (!out.argv.empty() && !out.shell.empty()) {
      refuse(node, key, "has both command and shell; use one of them");
    }
    check_runnable(node, key, out);
    return out;
  }

  // A step must be a valid run: better an error here than in the middle of a preparation.
  void check_runnable(const toml::node& node, std::string_view key, const Preparation& step) {
    if (bad_) return;
    run::Spec spec;
    spec.argv = step.argv;
    spec.shell = step.shell;
    spec.cwd = "/" + step.cwd;
    spec.env = step.env;
    spec.timeout_ms = step.timeout_ms;
    if (const auto ok = run::validate(spec); !ok) {
      refuse(node, key, "cannot be run: " + ok.error().message);
    }
  }

  void command(const toml::node& node, std::string_view key, Preparation& out) {
    if (const toml::array* words = node.as_array(); words != nullptr && key != "shell") {
      for (const toml::node& word : *words) out.argv.push_back(text_of(word, key));
      if (out.argv.empty() || out.argv.front().empty())
        refuse(node, key, "does not name a program");
      return;
    }
    if (key == "command")
      return refuse(node, key, "must be a list of words, such as [\"make\", \"all\"]");
    out.shell = text_of(node, key);
    if (out.shell.empty()) refuse(node, key, "is empty");
  }

  void environment(const toml::node& node, Preparation& out) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return refuse(node, "env", "must be a table: { NAME = \"value\" }");
    for (const auto& [name, one] : *table) out.env[std::string(name.str())] = text_of(one, name);
  }

  static bool leaves(std::string_view path) {
    while (!path.empty()) {
      const std::string_view part = path.substr(0, path.find('/'));
      if (part == "..") return true;
      path.remove_prefix(std::min(path.size(), part.size() + 1));
    }
    return false;
  }

  const std::string& path_;
  Project project_;
  std::optional<Error> bad_;
};

}  // namespace

bool is_manifest_field(std::string_view name) {
  return name == "manifest_version" || name == "project" || name == "files";
}

Result<Project> parse_project(const std::string& path, std::string_view toml) {
  const auto table = config::read_toml(path, toml, "bad_project", "project");
  if (!table) return std::unexpected(table.error());
  return Reader(path).read(*table);
}

Result<Project> load_project(const std::string& root) {
  const std::string path = root + "/" + std::string(kProjectFile);
  if (::access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    return fail(ErrorCode::not_found, "no_project",
                fmt::format("there is no {} in {}; `drover init` writes one", kProjectFile, root),
                "project");
  }
  const auto text = read_regular_file(path, kProjectBytesMax);
  if (!text) return fail(ErrorCode::invalid, "bad_project", text.error().message, "project");
  return parse_project(path, *text);
}

}  // namespace drover::play
