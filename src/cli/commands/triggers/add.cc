// drover trigger add, edit: describe when a command starts.
#include <algorithm>

#include "cli/commands/triggers/changes.h"
#include "cli/commands/triggers/commands.h"
#include "cli/commands/triggers/trigger_view.h"
#include "cli/context.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/run_fields.h"
#include "cli/service/service_unit.h"
#include "cli/typed_time.h"
#include "cli/views/columns.h"
#include "cli/views/words.h"
#include "wire/triggers/operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr std::string_view kWhen = "When it fires";
constexpr std::string_view kWhether = "Whether it fires";
constexpr std::string_view kRun = "The run";
constexpr std::string_view kLimits = "Limits of the run";

constexpr auto kOptions = std::to_array<Option>({
    {"cron", 0, Takes::text, "EXPR", "At the times of a cron expression, such as '0 3 * * *'",
     "source.cron", kWhen},
    {"tz", 0, Takes::text, "ZONE", "With --cron: its time zone (default UTC)", "source.tz", kWhen},
    {"every", 0, Takes::text, "DURATION", "At this interval, at least 10s", "source.every", kWhen},
    {"at", 0, Takes::text, "TIME",
     "Once: at 18:00 or '2026-12-24 18:00', local unless it names a zone; or 2h, in two hours",
     "source.at", kWhen},
    {"on", 0, Takes::text, "EVENT", "On events of this type, such as run.failed or deploy.*",
     "source.on", kWhen},
    {"file", 0, Takes::many, "GLOB",
     "When matching files below the current directory change; may be repeated", "source.globs",
     kWhen},
    {"root", 0, Takes::text, "DIR", "With --file: the directory to watch", "source.root", kWhen},
    {"change", 0, Takes::many, "KIND",
     "With --file: only created, changed, deleted or moved; may be repeated", "source.on", kWhen},
    {"ignore", 0, Takes::many, "PATTERN",
     "With --file: ignore these, as in a .gitignore; may be repeated", "source.ignore", kWhen},
    {"settle", 0, Takes::text, "DURATION",
     "With --file: wait until a file has not changed for this long (default 500ms)",
     "source.settle", kWhen},
    {"webhook", 0, Takes::text, "PATH", "When a signed request to /hooks/PATH arrives",
     "source.path", kWhen},
    {"secret-file", 0, Takes::text, "FILE", "With --webhook: a private file with its secret",
     "source.secret", kWhen},
    {"secret-env", 0, Takes::text, "NAME",
     "With --webhook: a variable of the daemon with its secret", "source.secret", kWhen},
    {"feed", 0, Takes::text, "URL", "When an RSS or Atom feed has a new item", "source.url", kWhen},
    {"page", 0, Takes::text, "URL", "When the text of a web page changes; requires --selector",
     "source.url", kWhen},
    {"selector", 0, Takes::text, "CSS", "With --page: which elements, such as '#news li'",
     "source.selector", kWhen},
    {"interval", 0, Takes::text, "DURATION", "With --feed or --page: how often (default 15m)",
     "source.interval", kWhen},
    {"allow-private", 0, Takes::nothing, "",
     "With --feed or --page: also addresses of this machine and its network",
     "source.allow_private", kWhen},
    {"missed", 0, Takes::text, "once|skip|all",
     "Due times that were missed: run once (default), skip them, or run all", "missed", kWhether},
    {"missed-window", 0, Takes::text, "DURATION",
     "With --missed all: how old a missed time may be (default 3d)", "missed_window", kWhether},
    {"jitter", 0, Takes::text, "DURATION", "Delay each time by up to this much", "jitter",
     kWhether},
    {"overlap", 0, Takes::text, "skip|queue|replace",
     "If its last run is still active: skip (default), wait for it, or cancel it", "overlap",
     kWhether},
    {"filter", 0, Takes::many, "RULE",
     "Fire only on events for which this holds, such as 'payload.size lt 1000'; may be repeated",
     "filters", kWhether},
    {"dedup", 0, Takes::text, "DURATION", "Drop events with the same key within this time", "dedup",
     kWhether},
    {"cwd", 0, Takes::text, "DIR", "Run in this directory (default: the current one)", "run.cwd",
     kRun},
    {"env", 'e', Takes::many, "K=V", "Set a variable, whose value is never shown; may be repeated",
     "run.env", kRun},
    {"env-file", 0, Takes::many, "FILE", "Set the variables in FILE, as --env; may be repeated", "",
     kRun},
    {"shell", 0, Takes::nothing, "", "Run the words as a script with `/bin/sh -c`", "run.shell",
     kRun},
    {"lane", 0, Takes::text, "LANE", "Queue to wait in (default: the lane `default`)", "run.lane",
     kRun},
    {"priority", 0, Takes::text, "N", "Higher starts first within the lane (default 0)",
     "run.priority", kRun},
    {"label", 'l', Takes::many, "K=V", "Label to find its runs by; may be repeated", "run.labels",
     kRun},
    {"retry", 0, Takes::text, "N", "Try a failed run again up to N times", "run.retry.max", kRun},
    {"backoff", 0, Takes::text, "DURATION",
     "Wait before the first retry, then twice as long each time (default 1s)", "run.retry.backoff",
     kRun},
    {"retry-on", 0, Takes::text, "LIST",
     "States to retry: failed, timed_out, abandoned (default failed,timed_out)", "run.retry.on",
     kRun},
    {"timeout", 0, Takes::text, "DURATION", "Stop a run after this time, such as 90s or 1h30m",
     "run.timeout", kLimits},
    {"idle-timeout", 0, Takes::text, "DURATION", "Stop a run after this time without output",
     "run.idle_timeout", kLimits},
    {"grace", 0, Takes::text, "DURATION", "Time between TERM and KILL (default 2s)", "run.grace",
     kLimits},
    {"memory", 0, Takes::text, "SIZE", "Memory limit, such as 512M or 1.5G (1G is 1024M)",
     "run.limits.memory", kLimits},
    {"cpus", 0, Takes::text, "N", "Limit in cores, such as 1.5", "run.limits.cpus", kLimits},
    {"pids", 0, Takes::text, "N", "Limit of processes and threads", "run.limits.pids", kLimits},
    {"nice", 0, Takes::text, "N", "Niceness, up to 19: let other programs run first",
     "run.limits.nice", kLimits},
    {"output-limit", 0, Takes::text, "SIZE", "Store only the first and last part of longer output",
     "run.limits.output", kLimits},
});

// The same options for `edit`, where an option that is not given changes nothing.
constexpr auto kEditOptions = [] {
  auto out = kOptions;
  for (Option& option : out) {
    if (option.name == "tz") option.help = "The time zone of the cron expression";
    if (option.name == "missed") option.help = "Missed due times: run once, skip them, or run all";
    if (option.name == "overlap") {
      option.help = "If its last run is still active: skip, wait for it, or cancel it";
    }
    option.help = option.help.substr(0, option.help.find(" (default"));
  }
  return out;
}();

struct SourceOption {
  std::string_view option;
  std::string_view type;
  std::string_view field;
};
// The option that chooses each type of source.
constexpr auto kSources = std::to_array<SourceOption>({{"cron", "cron", "cron"},
                                                       {"every", "every", "every"},
                                                       {"at", "once", "at"},
                                                       {"on", "event", "on"},
                                                       {"file", "file", "globs"},
                                                       {"webhook", "webhook", "path"},
                                                       {"feed", "feed", "url"},
                                                       {"page", "page", "url"}});

// Options that go with one of them.
struct SourceDetail {
  std::string_view option;
  std::string_view field;
  std::vector<std::string_view> with;
};
const std::vector<SourceDetail>& source_details() {
  static const std::vector<SourceDetail> kDetails{
      {"tz", "tz", {"cron"}},
      {"root", "root", {"file"}},
      {"change", "on", {"file"}},
      {"ignore", "ignore", {"file"}},
      {"settle", "settle", {"file"}},
      {"selector", "selector", {"page"}},
      {"interval", "interval", {"feed", "page"}},
      {"allow-private", "allow_private", {"feed", "page"}}};
  return kDetails;
}

// A list for an option that may be repeated, true for one without a value, or text.
Result<boost::json::value> value_of(const Arguments& arguments, std::string_view option) {
  const auto described = std::ranges::find(kOptions, option, &Option::name);
  if (described->takes == Takes::nothing) return boost::json::value(true);
  boost::json::array texts;
  for (const std::string& text : arguments.all(option)) {
    if (auto ok = check_text(text, option); !ok) return std::unexpected(ok.error());
    texts.emplace_back(text);
  }
  if (described->takes == Takes::many) return boost::json::value(std::move(texts));
  return boost::json::value(texts.back());
}

// "file:/path" or "env:NAME". The daemon has another working directory: the path is absolute.
Result<std::string> secret_of(const Arguments& arguments) {
  if (const auto name = arguments.text("secret-env")) {
    if (auto ok = check_text(*name, "secret-env"); !ok) return std::unexpected(ok.error());
    return "env:" + *name;
  }
  const auto path = absolute_directory(arguments.text("secret-file"));
  if (!path) return path;
  if (auto ok = check_text(*path, "secret-file"); !ok) return std::unexpected(ok.error());
  return "file:" + *path;
}

// "2h" is in two hours, "18:00" the next time that a clock here shows this.
Result<std::string> time_of(const std::string& text) {
  const WallMs now = SystemClock{}.wall_ms();
  if (const auto duration = parse_duration_ms(text, "at")) return rfc3339(now + *duration);
  const auto time = parse_typed_time(text, "at", now, Side::future);
  if (time) return rfc3339(*time);
  Error error = time.error();
  error.message = "--at: " + error.message + "; or a time from now, such as 2h";
  return std::unexpected(std::move(error));
}

// Refuses a source without an option that it needs.
Result<> check_needs(const Arguments& arguments, std::string_view chosen) {
  if (chosen == "webhook" && !arguments.has("secret-file") && !arguments.has("secret-env")) {
    return fail_invalid("secret", "--webhook requires --secret-file FILE or --secret-env NAME");
  }
  if (chosen == "page" && !arguments.has("selector")) {
    return fail_invalid("selector", "--page requires --selector CSS");
  }
  return {};
}

bool has_details(const Arguments& arguments) {
  return arguments.has("secret-file") || arguments.has("secret-env") ||
         std::ranges::any_of(source_details(), [&](const SourceDetail& detail) {
           return arguments.has(detail.option);
         });
}

// `before` is the type that the trigger has; empty: it is new. Details without a source belong to
// that one.
Result<std::optional<object>> source_of(const Arguments& arguments, std::string_view before) {
  std::optional<object> out;
  std::string chosen;
  for (const auto& [option, type, field] : kSources) {
    if (!arguments.has(option)) continue;
    if (out) {
      return fail_invalid(std::string(option), "--" + std::string(option) + " and --" + chosen +
                                                   " cannot be combined; add two triggers");
    }
    auto value = value_of(arguments, option);
    if (!value) return std::unexpected(value.error());
    if (option == "at") {
      const auto time = time_of(*arguments.text("at"));
      if (!time) return std::unexpected(time.error());
      value = boost::json::value(*time);
    }
    out = object{{"type", type}, {field, std::move(*value)}};
    chosen = option;
  }
  const auto old = std::ranges::find(kSources, before, &SourceOption::type);
  const bool is_new = old == kSources.end() || (out && chosen != old->option);
  if (!out && old != kSources.end() && has_details(arguments)) {
    out = object{{"type", before}};
    chosen = old->option;
  }
  if (is_new) {
    if (auto ok = check_needs(arguments, chosen); !ok) return std::unexpected(ok.error());
  }
  for (const SourceDetail& detail : source_details()) {
    if (!arguments.has(detail.option)) continue;
    if (std::ranges::find(detail.with, chosen) == detail.with.end()) {
      return fail_invalid(
          std::string(detail.option),
          "--" + std::string(detail.option) + " requires --" + std::string(detail.with.front()));
    }
    auto value = value_of(arguments, detail.option);
    if (!value) return std::unexpected(value.error());
    (*out)[detail.field] = std::move(*value);
  }
  if (arguments.has("secret-file") || arguments.has("secret-env")) {
    if (chosen != "webhook") return fail_invalid("secret", "a secret requires --webhook");
    auto secret = secret_of(arguments);
    if (!secret) return std::unexpected(secret.error());
    (*out)["secret"] = std::move(*secret);
  }
  if (chosen == "file" && (is_new || arguments.has("root"))) {
    const auto root = absolute_directory(arguments.text("root"));
    if (!root) return std::unexpected(root.error());
    if (auto ok = check_text(*root, "root"); !ok) return std::unexpected(ok.error());
    (*out)["root"] = *root;
  }
  return out;
}

// "payload.size lt 1000": field, operator, value. The daemon checks them.
Result<boost::json::array> filters_of(const Arguments& arguments) {
  boost::json::array out;
  for (const std::string& rule : arguments.all("filter")) {
    if (auto ok = check_text(rule, "filter"); !ok) return std::unexpected(ok.error());
    out.emplace_back(rule);
  }
  return out;
}

Result<object> fields_of(const Arguments& arguments, std::string_view before = {}) {
  object out;
  auto source = source_of(arguments, before);
  if (!source) return std::unexpected(source.error());
  if (*source) out["source"] = std::move(**source);
  const bool is_edit = !before.empty();
  auto filters = filters_of(arguments);
  if (!filters) return std::unexpected(filters.error());
  if (!filters->empty()) out["filters"] = std::move(*filters);
  if (is_edit && arguments.all("filter") == std::vector<std::string>{""}) out["filters"] = nullptr;
  for (const Option& option : kOptions) {
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

std::vector<Option> run_options() {
  std::vector<Option> out;
  for (const Option& option : kOptions) {
    if (option.field.starts_with("run.")) out.push_back(option);
  }
  return out;
}

Result<object> run_of(const Arguments& arguments, std::span<const std::string> words) {
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
  if (!env.empty()) (*run)["env"] = std::move(env);
  return run;
}

Result<int> report(Context& context, const object& trigger, const std::string& more = {}) {
  if (context.json) {
    if (auto ok = context.screen.print(json_text(trigger) + "\n"); !ok) {
      return std::unexpected(ok.error());
    }
    return 0;
  }
  const auto next = parse_rfc3339(text_in(trigger, "next_at"));
  const std::string text = "trigger " + text_in(trigger, "name") + ": " + when_of(trigger) +
                           (next ? "; next " + say_distance(*next, SystemClock{}.wall_ms()) + ", " +
                                       say_due(trigger, *next)
                                 : "");
  if (auto ok = context.screen.print(text + "\n" + more); !ok) return std::unexpected(ok.error());
  return 0;
}

// `drover trigger add --every 1m -- make`: the first word is already the command.
Result<> check_has_name(const Arguments& arguments, std::string_view command) {
  if (arguments.words_before_dashes != 0) return {};
  return fail_invalid("name", "name the trigger before --: drover trigger " + std::string(command) +
                                  " NAME … -- " + clean(arguments.words[0]) + " …");
}

// A policy of the trigger that the new source cannot have was not typed: say how to remove it.
Error explain_kept(Error error, const Arguments& arguments, const std::string& name) {
  constexpr std::string_view kRemove = "; remove it";
  const auto option = std::ranges::find_if(kOptions, [&](const Option& one) {
    return one.group == kWhether && one.field == error.param && !arguments.has(one.name);
  });
  if (option == kOptions.end() || !error.message.ends_with(kRemove)) return error;
  error.message =
      "--" + std::string(option->name) +
      error.message.substr(option->field.size(),
                           error.message.size() - option->field.size() - kRemove.size()) +
      ", and " + name + " has it; remove it with --" + std::string(option->name) + " ''";
  return error;
}

Result<int> add(Context& context, const Arguments& arguments) {
  if (auto ok = check_has_name(arguments, "add"); !ok) return std::unexpected(ok.error());
  auto body = fields_of(arguments);
  if (!body) return std::unexpected(body.error());
  if (!body->contains("source")) {
    return fail_invalid(
        "source",
        "say when it fires: --cron, --every, --at, --file, --webhook, --feed, --page or --on");
  }
  const std::span<const std::string> words(arguments.words);
  if (words.size() < 2) {
    return fail_invalid(
        "run", "name the command: drover trigger add " + arguments.words[0] + " … -- COMMAND…");
  }
  auto run = run_of(arguments, words.subspan(1));
  if (!run) return std::unexpected(run.error());
  (*body)["name"] = arguments.words[0];
  (*body)["run"] = std::move(*run);
  const auto added = context.client.ask(wire::triggers::add, {.body = json_text(*body)});
  if (added && !context.json && !starts_with_machine(context.home)) {
    context.screen.notice(
        "triggers fire only while the daemon runs, and no service starts the daemon with the "
        "machine; "
        "`drover service install` installs one");
  }
  if (!added) return std::unexpected(added.error());
  return report(context, *added);
}

Result<int> edit(Context& context, const Arguments& arguments) {
  if (auto ok = check_has_name(arguments, "edit"); !ok) return std::unexpected(ok.error());
  const auto before = context.client.ask(wire::triggers::get, {.segment = arguments.words[0]});
  if (!before) return std::unexpected(before.error());
  auto body = fields_of(arguments, text_in(object_in(*before, "source"), "type"));
  if (!body) return std::unexpected(body.error());
  const std::span<const std::string> words(arguments.words);
  auto run = run_of(arguments, words.subspan(1));
  if (!run) return std::unexpected(run.error());
  // Only the parts that were given change.
  if (words.size() < 2) {
    run->erase("command");
    run->erase("shell");
  }
  if (!arguments.has("cwd")) run->erase("cwd");
  if (!run->empty()) (*body)["run"] = std::move(*run);
  if (body->empty()) {
    return fail_invalid("trigger", "nothing to change: give at least one option or a command");
  }
  const auto after = context.client.ask(wire::triggers::edit,
                                        {.segment = arguments.words[0], .body = json_text(*body)});
  if (!after) {
    return std::unexpected(explain_kept(after.error(), arguments, arguments.words[0]));
  }
  std::string changed = say_changes(*before, *after);
  if (arguments.has("env") || arguments.has("env-file"))
    changed += (changed.empty() ? "" : ", ") + std::string("variables");
  return report(context, *after,
                changed.empty() ? "nothing changed\n" : "changed: " + changed + "\n");
}

}  // namespace

const Command kTriggerAdd{
    .name = "trigger add",
    .words = "NAME [--] COMMAND…",
    .group = Group::automation,
    .summary = "Start a command at certain times or on events",
    .help =
        "Add a trigger, which starts a command at certain times or on events.\n\n"
        "The command runs in the current directory, with the daemon's environment and the "
        "variables of --env. DROVER_TRIGGER tells it, as JSON, why it was started. Every due time "
        "and every event is recorded: `drover trigger history NAME` shows what became of it.\n\n"
        "A trigger fires only while the daemon runs. `drover service install` starts the daemon "
        "when the machine starts.",
    .noun_summary = "Start commands by time or event",
    .examples =
        {{{"drover trigger add nightly --cron '0 3 * * *' --tz Europe/Berlin -- ./backup.sh",
           "Start a backup every night at three."},
          {"drover trigger add tidy --every 10m --overlap queue -- make tidy",
           "Tidy up every ten minutes, one run after another."},
          {"drover trigger add alert --on run.failed -- ./alert.sh",
           "Start a script when a run fails."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = add,
};

const Command kTriggerEdit{
    .name = "trigger edit",
    .words = "TRIGGER [--] [COMMAND…]",
    .group = Group::automation,
    .summary = "Change a trigger",
    .help =
        "Change a trigger: each option or command that is given replaces the old one, and "
        "everything else stays unchanged, also its directory.\n\n"
        "An option that may be repeated replaces its whole list. An empty value, such as "
        "--filter '', removes what says whether the trigger fires. Runs that the trigger has "
        "started are not affected.",
    .examples = {{{"drover trigger edit nightly --cron '30 4 * * *'", "Move it to half past four."},
                  {"drover trigger edit nightly -- ./backup.sh --full", "Change its command."}}},
    .options = kEditOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = edit,
    .offers = kOffersTriggers,
};

}  // namespace drover::cli
