#include "play/setup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "play/limits.h"

namespace drover::play {
namespace {

struct Place {
  std::string_view file;
  std::string_view key;
};
constexpr auto kPlaces = std::to_array<Place>(
    {{".drover/setup.json", "runtimePath"}, {".studio/setup.json", "prometeuRuntimePath"}});

std::unexpected<Error> refuse(std::string_view which, std::string message) {
  const bool is_absent = which == "missing" || which == "not_found";
  return fail(is_absent ? ErrorCode::not_found : ErrorCode::invalid,
              "runtime_path_" + std::string(which), std::move(message), "runtimePath");
}

// Whether the name exists: a dangling link is a broken setup, not a missing one.
bool is_there(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

// A string, or {"base64": "…"} for a path that is not UTF-8.
Result<std::string> path_in(const boost::json::value& value, const std::string& where) {
  if (const auto* text = value.if_string()) return std::string(*text);
  if (const auto* object = value.if_object(); object != nullptr && object->size() == 1) {
    const boost::json::value* coded = object->if_contains("base64");
    if (coded != nullptr && coded->is_string()) {
      if (auto bytes = unbase64(std::string_view(coded->get_string()))) return bytes;
    }
  }
  return refuse("invalid", where + " must be text: the path of the runtime's program, in quotes");
}

// Empty: the file does not have the key.
Result<std::optional<std::string>> read_path(const std::string& file, const Place& place) {
  const auto text = read_regular_file(file, kSetupBytesMax);
  if (!text) return refuse("invalid", text.error().message + "; correct or remove it");
  boost::system::error_code error;
  const boost::json::value setup = boost::json::parse(*text, error);
  if (error || !setup.is_object()) {
    return refuse("invalid",
                  fmt::format("{} is not a JSON object{}; write {{\"{}\": \"/path/to/runtime\"}}",
                              file, error ? ": " + error.message() : "", place.key));
  }
  const boost::json::value* value = setup.get_object().if_contains(place.key);
  if (value == nullptr) return std::nullopt;
  const std::string where = fmt::format("\"{}\" in {}", place.key, file);
  auto path = path_in(*value, where);
  if (!path) return std::unexpected(path.error());
  if (path->find_first_not_of(" \t\r\n\v\f") == std::string::npos) {
    return refuse("blank", where + " is blank; write the path of the runtime's program");
  }
  if (path->contains('\0')) return refuse("invalid", where + " contains a NUL byte");
  return std::move(*path);
}

Result<std::string> check(std::string path, const std::string& where) {
  struct stat info{};
  const std::string shown = bounded(path, limits::kPathBytesMax);
  if (::stat(path.c_str(), &info) != 0) {
    const int error = errno;
    const std::string why =
        fmt::format("{}: {}; correct {}", shown, std::generic_category().message(error), where);
    if (error == ENOENT || error == ENOTDIR) return refuse("not_found", why);
    return refuse(error == EACCES ? "not_executable" : "invalid", why);
  }
  if (!S_ISREG(info.st_mode)) {
    return refuse("invalid",
                  fmt::format("{} is {}; {} must name the runtime's program", shown,
                              S_ISDIR(info.st_mode) ? "a directory" : "not a regular file", where));
  }
  if (::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0) {
    return refuse("not_executable",
                  fmt::format("{} is not executable ({}); run chmod +x on it, or correct {}", shown,
                              std::generic_category().message(errno), where));
  }
  return path;
}

}  // namespace

Result<std::string> find_runtime(const std::string& root) {
  std::string lacking;  // The first file that exists, and its key.
  for (const Place& place : kPlaces) {
    const std::string file = root + "/" + std::string(place.file);
    if (!is_there(file)) continue;
    auto path = read_path(file, place);
    if (!path) return std::unexpected(path.error());
    if (!*path) {
      if (lacking.empty()) lacking = fmt::format("{} has no \"{}\"", file, place.key);
      continue;
    }
    if (!(*path)->starts_with('/')) (*path)->insert(0, root.ends_with('/') ? root : root + "/");
    return check(std::move(**path), bounded(file, limits::kPathBytesMax));
  }
  return refuse("missing",
                fmt::format("{}; write {}/{}: {{\"{}\": \"/path/to/runtime\"}}",
                            lacking.empty() ? "the path of the runtime is not set" : lacking,
                            bounded(root, limits::kPathBytesMax), kPlaces[0].file, kPlaces[0].key));
}

}  // namespace drover::play
