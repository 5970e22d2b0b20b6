#include "triggers/declared/declared_file.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/env_file.h"
#include "base/fd.h"
#include "base/ownership.h"
#include "base/read_to_end.h"
#include "base/text.h"
#include "play/project.h"
#include "triggers/declared/limits.h"
#include "triggers/definition/trigger_change.h"

namespace drover::triggers {
namespace {

struct Text {
  bool is_missing = false;
  std::string bytes;
};

Result<Text> read_trusted(const std::string& path, size_t bytes_max) {
  const auto opened = open_trusted(path);
  if (!opened) return std::unexpected(opened.error());
  if (!*opened) {
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
      return Text{.is_missing = true, .bytes = {}};
    }
    return fail(ErrorCode::unavailable, "unreadable",
                path + " cannot be read; check the permissions of its directory, and links");
  }
  auto bytes = read_to_end(opened->get(), path, bytes_max);
  if (!bytes) return std::unexpected(bytes.error());
  return Text{.is_missing = false, .bytes = std::move(*bytes)};
}

Problem problem_of(const std::string& file, const Error& error) {
  return {.file = file, .message = message_elsewhere(error)};
}

// Variables of `env` win over those of the env file.
void add_env_file(DeclaredFile& out, Declaration& trigger) {
  const auto refuse = [&](const std::string& message) {
    out.problems.push_back({.file = out.file.path,
                            .line = trigger.env_file_line,
                            .column = trigger.env_file_column,
                            .message = message});
  };
  const auto text = read_trusted(trigger.env_file, kEnvFileBytesMax);
  if (!text) return refuse("env_file: " + message_elsewhere(text.error()));
  if (text->is_missing) return refuse("env_file: there is no file " + trigger.env_file);
  const auto variables = parse_env_file(text->bytes);
  if (!variables) {
    return refuse(trigger.env_file + ", line " + std::to_string(variables.error().line) + ": " +
                  variables.error().why);
  }
  for (const auto& [name, value] : *variables) trigger.variables.emplace(name, value);
  if (auto ok = check_variables(trigger.variables); !ok) refuse(ok.error().message);
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

bool declares(std::string_view name) {
  return !name.starts_with('.') && name.ends_with(".toml");
}

// The names of the files, or why they are unknown.
Result<std::vector<std::string>> names_in(const std::string& directory) {
  const std::unique_ptr<DIR, CloseDirectory> open(::opendir(directory.c_str()));
  if (!open && errno == ENOENT) return std::vector<std::string>{};
  if (!open) return fail_errno("cannot read " + directory, errno);
  // A user who can write to the directory can also remove files from it.
  if (auto ok = check_way(directory + "/x.toml"); !ok) return std::unexpected(ok.error());
  std::vector<std::string> out;
  for (errno = 0; const dirent* entry = ::readdir(open.get()); errno = 0) {
    if (!declares(entry->d_name)) continue;
    if (!is_utf8(entry->d_name)) {
      return fail_invalid("file", "the name of a file is not UTF-8; rename it");
    }
    out.emplace_back(entry->d_name);
  }
  if (errno != 0) return fail_errno("cannot read " + directory, errno);
  if (out.size() > kDeclaringFilesMax) {
    return fail(ErrorCode::exhausted, "too_many_files",
                "more than " + std::to_string(kDeclaringFilesMax) +
                    " files; write several triggers into one file");
  }
  std::ranges::sort(out);
  return out;
}

DeclaredFile broken(const std::string& path, std::string message) {
  return {.file = {.path = path}, .problems = {{.file = path, .message = std::move(message)}}};
}

}  // namespace

std::string declaring_directory(const Home& home) {
  return home.config + "/triggers.d";
}

DeclaringFile file_of_project(const std::string& root) {
  return {.path = root + "/" + std::string(play::kProjectFile), .root = root};
}

DeclaringFile file_at(const std::string& path) {
  const size_t slash = path.rfind('/');
  const bool is_project = path.substr(slash + 1) == play::kProjectFile;
  return {.path = path, .root = is_project ? path.substr(0, std::max<size_t>(slash, 1)) : ""};
}

DeclaredFile load_declared(const DeclaringFile& file) {
  DeclaredFile out{.file = file};
  const auto text = read_trusted(file.path, kDeclaringBytesMax);
  if (!text) {
    out.problems.push_back(problem_of(file.path, text.error()));
    return out;
  }
  auto read = read_declarations(file, text->bytes);
  out.triggers = std::move(read.triggers);
  out.problems = std::move(read.problems);
  for (Declaration& trigger : out.triggers) {
    if (!trigger.env_file.empty()) add_env_file(out, trigger);
  }
  return out;
}

std::vector<DeclaredFile> load_all_declared(const std::string& directory,
                                            const std::vector<std::string>& roots) {
  std::vector<DeclaredFile> out;
  const auto names = names_in(directory);
  if (!names) out.push_back(broken(directory, message_elsewhere(names.error())));
  for (size_t i = 0; names && i < names->size(); ++i) {
    out.push_back(load_declared({.path = directory + "/" + (*names)[i]}));
  }
  for (const std::string& root : roots) {
    struct stat info{};
    // A disk that is not mounted: its triggers must not lose their ledgers.
    if (::stat(root.c_str(), &info) != 0 && errno != ENOENT) {
      out.push_back(broken(root, fail_errno("cannot read " + root, errno).error().message));
    } else if (::stat(root.c_str(), &info) != 0) {
      out.push_back(broken(root,
                           "the directory of the project is missing; its triggers stay. "
                           "Remove the project with `drover project rm`"));
    } else {
      out.push_back(load_declared(file_of_project(root)));
    }
  }
  return out;
}

}  // namespace drover::triggers
