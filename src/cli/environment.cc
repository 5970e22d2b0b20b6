#include "cli/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/text.h"
#include "cli/env_file.h"
#include "cli/views/table.h"

namespace drover::cli {

using boost::json::object;

namespace {

// Adds `name` to the variable that lists the given variables. The daemon never shows their values.
// Runs that this run starts inherit the values together with the list.
void note_given(object& environment, const std::string& name) {
  boost::json::value& names = environment["DROVER_SECRET_ENV"];
  names = (names.is_string() ? std::string(names.get_string()) + "," : "") + name;
}

}  // namespace

object own_environment(Screen& screen) {
  object out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string_view name = text.substr(0, equals);
    // No shell sets a name that begins with a digit.
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) continue;
    if (name == "DROVER_RUN_ID" || name == "DROVER_TRACE_ID" || name == "DROVER_TOKEN" ||
        name == "DROVER_SOCKET" || name == "DROVER_ATTEMPT") {
      continue;
    }
    if (!is_utf8(text)) {  // JSON cannot carry it: start the run without this variable.
      screen.notice("the variable " + clean(name) + " is not UTF-8 and is left out");
      continue;
    }
    out[name] = text.substr(equals + 1);
  }
  return out;
}

std::string own_token() {
  const char* token = std::getenv("DROVER_TOKEN");
  const std::string text = token == nullptr ? "" : token;
  // A value that cannot be in a header is not a valid token. Send an invalid one instead: without a
  // token the caller would have the rights of the owner.
  const bool fits = std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
  return fits ? text : "unreadable";
}

Result<> check_text(std::string_view text, std::string_view option) {
  if (is_utf8(text)) return {};
  return fail_invalid(std::string(option), "invalid --" + std::string(option) + " \"" +
                                               clean(text) + "\": it must be UTF-8");
}

Result<> add_env_files(object& environment, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const auto variables = read_env_file(path);
    if (!variables) return std::unexpected(variables.error());
    for (const auto& [name, value] : *variables) {
      environment[name] = value;
      note_given(environment, name);
    }
  }
  return {};
}

Result<> add_pairs(object& out, const std::vector<std::string>& pairs, const char* option) {
  for (const std::string& pair : pairs) {
    if (auto ok = check_text(pair, option); !ok) return ok;
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail_invalid(option, "--" + std::string(option) + " takes NAME=VALUE, not " + pair);
    }
    out[pair.substr(0, equals)] = pair.substr(equals + 1);
    if (std::string_view(option) == "env") note_given(out, pair.substr(0, equals));
  }
  return {};
}

}  // namespace drover::cli
