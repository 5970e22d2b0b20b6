#include "cli/commands/triggers/trigger_fields.h"

#include <boost/json/array.hpp>
#include <utility>
#include <vector>

#include "cli/commands/triggers/source_options.h"
#include "cli/commands/triggers/trigger_options.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/run_fields.h"
#include "cli/views/columns.h"

namespace drover::cli {

using boost::json::object;

namespace {

// "payload.size lt 1000": field, operator, value. The daemon checks them.
Result<boost::json::array> filters_of(const Arguments& arguments) {
  boost::json::array out;
  for (const std::string& rule : arguments.all("filter")) {
    if (auto ok = check_text(rule, "filter"); !ok) return std::unexpected(ok.error());
    out.emplace_back(rule);
  }
  return out;
}

std::vector<Option> run_options() {
  std::vector<Option> out;
  for (const Option& option : kTriggerOptions) {
    if (option.field.starts_with("run.")) out.push_back(option);
  }
  return out;
}

}  // namespace

Result<object> trigger_fields(const Arguments& arguments, std::string_view before) {
  object out;
  auto source = source_of(arguments, before);
  if (!source) return std::unexpected(source.error());
  if (*source) out["source"] = std::move(**source);
  auto filters = filters_of(arguments);
  if (!filters) return std::unexpected(filters.error());
  if (!filters->empty()) out["filters"] = std::move(*filters);
  const bool is_edit = !before.empty();
  if (is_edit && arguments.all("filter") == std::vector<std::string>{""}) out["filters"] = nullptr;
  for (const Option& option : kTriggerOptions) {
    const bool is_own = option.group == kWhether && option.takes == Takes::text;
    const auto text = is_own ? arguments.text(option.name) : std::nullopt;
    if (!text) continue;
    if (is_edit && text->empty()) {
      out[option.field] = nullptr;
      continue;
    }
    if (auto ok = check_text(*text, option.name); !ok) return std::unexpected(ok.error());
    out[option.field] = *text;
  }
  return out;
}

Result<object> trigger_run(const Arguments& arguments, std::span<const std::string> words) {
  auto run = run_fields(arguments, run_options(), words);
  if (!run) return run;
  object env;
  if (auto ok = add_env_files(env, arguments.all("env-file")); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = add_pairs(env, arguments.all("env"), "env"); !ok) {
    return std::unexpected(ok.error());
  }
  env.erase("DROVER_SECRET_ENV");
  // An empty file replaces the variables, too.
  if (arguments.has("env") || arguments.has("env-file")) (*run)["env"] = std::move(env);
  return run;
}

Result<> check_has_name(const Arguments& arguments, std::string_view command) {
  if (arguments.words_before_dashes != 0) return {};
  return fail_invalid("name", "name the trigger before --: drover trigger " + std::string(command) +
                                  " NAME … -- " + clean(arguments.words[0]) + " …");
}

}  // namespace drover::cli
