#include "cli/run_fields.h"

#include <unistd.h>

#include <boost/json/array.hpp>
#include <cerrno>

#include "base/limits.h"
#include "base/text.h"
#include "cli/environment.h"
#include "cli/plan.h"
#include "wire/word.h"

namespace drover::cli {
namespace {

using boost::json::object;

Result<> add_command(object& out, bool is_script, std::span<const std::string> words) {
  if (!is_script) {
    boost::json::array command;
    for (const std::string& word : words) command.push_back(wire::word_of(word));
    out["command"] = std::move(command);
    return {};
  }
  std::string script;
  for (const std::string& word : words) script += (script.empty() ? "" : " ") + word;
  if (!is_utf8(script)) {
    return fail_invalid("shell", "the script is not valid UTF-8; save it in a file and run that");
  }
  out["shell"] = script;
  return {};
}

// Sends an option as typed, under its own field: "lane", "limits.memory". The run of a trigger is a
// part of the request: "run.lane".
Result<> add_option(object& out, const Option& option, const std::string& text) {
  constexpr std::string_view kPart = "run.";
  const std::string_view field =
      option.field.substr(option.field.starts_with(kPart) ? kPart.size() : 0);
  const size_t dot = field.find('.');
  const std::string_view group = field.substr(0, dot);
  if (out.contains(group) && group != "limits") return {};
  if (auto ok = check_text(text, option.name); !ok) return ok;
  if (dot == std::string_view::npos) {
    out[group] = text;
  } else {
    object& limits = out.contains(group) ? out[group].get_object() : out[group].emplace_object();
    limits[field.substr(dot + 1)] = text;
  }
  return {};
}

}  // namespace

Result<std::string> absolute_directory(const std::optional<std::string>& wished) {
  if (wished && wished->empty()) {
    return fail_invalid("path", "a path is empty; leave its option out for the default");
  }
  if (wished && wished->starts_with('/')) return *wished;
  std::string here(limits::kPathBytesMax, '\0');
  if (::getcwd(here.data(), here.size()) == nullptr) {
    return fail_errno("cannot find the current directory; use --cwd", errno);
  }
  here.resize(here.find('\0'));
  return wished ? here + "/" + *wished : here;
}

Result<object> run_fields(const Arguments& arguments, std::span<const Option> options,
                          std::span<const std::string> words) {
  object out;
  if (auto ok = add_command(out, arguments.has("shell"), words); !ok) {
    return std::unexpected(ok.error());
  }
  const Result<std::string> cwd = absolute_directory(arguments.text("cwd"));
  if (!cwd) return std::unexpected(cwd.error());
  if (auto ok = check_text(*cwd, "cwd"); !ok) return std::unexpected(ok.error());
  out["cwd"] = *cwd;
  object labels;
  if (auto ok = add_pairs(labels, arguments.all("label"), "label"); !ok) {
    return std::unexpected(ok.error());
  }
  if (!labels.empty()) out["labels"] = std::move(labels);
  if (auto ok = add_plan(out, arguments); !ok) return std::unexpected(ok.error());
  for (const Option& option : options) {
    const auto text = option.takes == Takes::text ? arguments.text(option.name) : std::nullopt;
    if (!text || option.field.empty()) continue;
    if (auto ok = add_option(out, option, *text); !ok) return std::unexpected(ok.error());
  }
  return out;
}

}  // namespace drover::cli
