// drover config: shows and changes the settings.
#include <sys/stat.h>

#include <array>

#include "base/fd.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/table.h"
#include "config/file.h"
#include "config/settings.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kShowOptions = std::to_array<Option>({
    {"origin", 0, Takes::nothing, "", "Show where each value is set, and its variable and option"},
});

std::string_view name(config::Origin origin) {
  switch (origin) {
    case config::Origin::fallback:
      return "default";
    case config::Origin::file:
      return "file";
    case config::Origin::environment:
      return "environment";
  }
  return "";
}

Result<const config::Setting*> find_setting(const std::string& wanted) {
  if (const config::Setting* setting = config::find(wanted)) return setting;
  std::vector<std::string> names;
  for (const config::Setting& setting : config::kSettings) names.emplace_back(setting.name);
  const std::string best = nearest(wanted, names);
  return fail(ErrorCode::not_found, "not_found",
              "unknown setting \"" + clean(wanted) + "\"; " +
                  (best.empty() ? "" : "did you mean " + best + "? ") +
                  "`drover config show` lists all settings",
              "name");
}

Result<int> print(Context& context, const std::string& text) {
  if (auto ok = context.screen.print(text + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> path(Context& context, const Arguments&) {
  const std::string file = config::Settings::path(context.home);
  return print(context, context.json ? json_text(object{{"path", file}}) : file);
}

Result<int> show(Context& context, const Arguments& arguments) {
  const auto settings = config::Settings::load(context.home);
  if (!settings) return std::unexpected(settings.error());
  if (context.json) {
    object out;
    for (const config::Setting& setting : config::kSettings) {
      const config::Value& value = settings->get(setting.name);
      object entry{{"value", nullptr}, {"origin", name(value.origin)}, {"where", nullptr}};
      if (!value.text.empty()) entry["value"] = value.text;
      if (!value.where.empty()) entry["where"] = value.where;
      out[setting.name] = std::move(entry);
    }
    return print(context, json_text(object{{"settings", std::move(out)}}));
  }
  const bool origin = arguments.has("origin");
  Table table(origin ? std::vector<std::string>{"SETTING", "VALUE", "SET BY", "VARIABLE", "OPTION"}
                     : std::vector<std::string>{"SETTING", "VALUE", "MEANING"},
              2);
  if (origin) {
    table.keep_readable(32);  // The files are what was asked for.
    table.may_leave_out(4);
    table.may_leave_out(3);
  }
  for (const config::Setting& setting : config::kSettings) {
    const config::Value& value = settings->get(setting.name);
    const Color color = value.origin == config::Origin::fallback ? Color::none : Color::bold;
    std::vector<Cell> row{{std::string(setting.name), color},
                          {value.text.empty() ? "-" : value.text, color}};
    if (origin) {
      row.push_back({value.where.empty() ? "default" : value.where});
      row.push_back({std::string(setting.variable)});
      row.push_back({std::string(setting.flag)});
    } else {
      row.push_back({std::string(setting.help)});
    }
    table.add(std::move(row));
  }
  std::string text = table.text(context.screen);
  text.pop_back();
  return print(context, text);
}

Result<int> get(Context& context, const Arguments& arguments) {
  const auto setting = find_setting(arguments.words.front());
  if (!setting) return std::unexpected(setting.error());
  const auto settings = config::Settings::load(context.home);
  if (!settings) return std::unexpected(settings.error());
  const std::string& value = settings->get((*setting)->name).text;
  return print(context, context.json ? json_text(object{{"value", value}}) : value);
}

// An empty value removes the setting.
Result<int> change(Context& context, const std::string& wanted, const std::string& value) {
  const auto setting = find_setting(wanted);
  if (!setting) return std::unexpected(setting.error());
  if (!value.empty()) {
    if (auto ok = config::check(**setting, value); !ok) return std::unexpected(ok.error());
  }
  // Never overwrite an invalid file: a person has to look at it first.
  const auto before = config::Settings::load(context.home);
  if (!before) return std::unexpected(before.error());
  const std::string file = config::Settings::path(context.home);
  const std::string text = read_file(file, limits::kConfigBytesMax).value_or("");
  const std::string edited =
      config::edit(text, (*setting)->name, value, (*setting)->kind == config::Kind::number);
  const auto after =
      config::Settings::read(file, edited, [](const char*) -> const char* { return nullptr; });
  if (!after || after->chosen((*setting)->name).value_or("") != value) {
    return fail(ErrorCode::conflict, "bad_config",
                "cannot change this setting in " + file + "; edit the file by hand");
  }
  const mode_t theirs = ::umask(077);
  Result<> written = make_private_directory(context.home.config);
  if (written) written = replace_file(file, edited);
  ::umask(theirs);
  if (!written) return std::unexpected(written.error());
  const config::Value& shadow = before->get((*setting)->name);
  if (shadow.origin == config::Origin::environment) {
    context.screen.notice(shadow.where + " is set and overrides the file");
  }
  if ((*setting)->user == config::User::daemon) {
    context.screen.notice(
        "the daemon reads this setting when it starts; `drover stop` stops it, runs keep running");
  }
  if (context.json) return 0;
  const std::string name((*setting)->name);
  return print(context, value.empty() ? name + " removed" : name + " = " + value);
}

Result<int> set(Context& context, const Arguments& arguments) {
  if (arguments.words[1].empty()) {
    return fail_invalid("value", "the value is empty; `drover config unset` removes a setting");
  }
  return change(context, arguments.words[0], arguments.words[1]);
}

Result<int> unset(Context& context, const Arguments& arguments) {
  return change(context, arguments.words[0], "");
}

}  // namespace

const Command kConfigShow{
    .name = "config show",
    .words = {},
    .group = Group::daemon,
    .summary = "Show all settings",
    .help =
        "Show all settings and their values.\n\n"
        "A command line option overrides an environment variable, which overrides config.toml, "
        "which overrides the default.",
    .noun_summary = "Manage settings",
    .examples = {{{"drover config show --origin", "Show where each value is set."},
                  {"drover config show --json", "Print all settings as JSON."}}},
    .options = kShowOptions,
    .daemon = Daemon::never_start,
    .run = show,
};

const Command kConfigGet{
    .name = "config get",
    .words = "SETTING",
    .group = Group::daemon,
    .summary = "Print a setting",
    .help = "Print the value of one setting.",
    .examples = {{{"drover config get run.timeout", "Print the default timeout of runs."},
                  {"drover config get retention.age", "Print how long finished runs are kept."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .daemon = Daemon::never_start,
    .run = get,
};

const Command kConfigSet{
    .name = "config set",
    .words = "SETTING VALUE",
    .group = Group::daemon,
    .summary = "Change a setting",
    .help =
        "Write a setting into config.toml.\n\n"
        "Comments and other settings stay as they are.",
    .examples = {{{"drover config set run.timeout 1h30m", "Limit all new runs to 90 minutes."},
                  {"drover config set retention.age 7d", "Keep finished runs for a week."}}},
    .options = {},
    .words_min = 2,
    .words_max = 2,
    .daemon = Daemon::never_start,
    .run = set,
};

const Command kConfigUnset{
    .name = "config unset",
    .words = "SETTING",
    .group = Group::daemon,
    .summary = "Reset a setting to its default",
    .help = "Remove a setting from config.toml, so that its default is used.",
    .examples = {{{"drover config unset run.timeout", "Use the default again."},
                  {"drover config unset listen.address",
                   "Stop listening on TCP after the next start of the daemon."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .daemon = Daemon::never_start,
    .run = unset,
};

const Command kConfigPath{
    .name = "config path",
    .words = {},
    .group = Group::daemon,
    .summary = "Print the path of config.toml",
    .help =
        "Print the path of config.toml.\n\n"
        "The file may not exist yet.",
    .examples = {{{"drover config path", "Print the path."},
                  {"cat \"$(drover config path)\"", "Print the file, if it exists."}}},
    .options = {},
    .daemon = Daemon::never_start,
    .run = path,
};

}  // namespace drover::cli
