// drover trigger ls, show, next, history: what triggers there are, and what became of their times.
#include "base/number.h"
#include "cli/commands/triggers/commands.h"
#include "cli/commands/triggers/trigger_view.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/columns.h"
#include "cli/views/output.h"
#include "cli/views/words.h"
#include "wire/triggers/operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

Result<int> print(Context& context, const std::string& text) {
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

// The first problems of the files that declare triggers, of which `validate` prints all, and the
// warnings of the triggers.
void notice_problems(Context& context, const object& answer) {
  constexpr size_t kShown = 5;
  const boost::json::array& problems = array_in(answer, "problems");
  for (size_t i = 0; i < problems.size() && i < kShown; ++i) {
    if (problems[i].is_object()) context.screen.notice(problem_text(problems[i].get_object()));
  }
  if (problems.size() > kShown) {
    context.screen.notice(say_count(static_cast<std::int64_t>(problems.size() - kShown),
                                    "more problem", "more problems") +
                          "; `drover trigger validate FILE` prints them all");
  }
  for (const boost::json::value& value : array_in(answer, "triggers")) {
    const std::string warning = value.is_object() ? text_in(value.get_object(), "warning") : "";
    if (!warning.empty()) {
      context.screen.notice(text_in(value.get_object(), "name") + ": " + clean(warning));
    }
  }
}

Result<int> list(Context& context, const Arguments&) {
  const auto answer = all_triggers(context);
  if (!answer) return std::unexpected(answer.error());
  notice_problems(context, *answer);
  if (context.json) return print(context, json_text(*answer) + "\n");
  const boost::json::array& triggers = array_in(*answer, "triggers");
  if (triggers.empty()) {
    context.screen.notice("there are no triggers; `drover help trigger add` shows how to add one");
    return 0;
  }
  return print(context, triggers_table(triggers, context.screen, SystemClock{}.wall_ms()));
}

Result<int> show(Context& context, const Arguments& arguments) {
  const auto trigger = context.client.ask(wire::triggers::get, {.segment = arguments.words[0]});
  if (!trigger) return std::unexpected(trigger.error());
  if (context.json) return print(context, json_text(*trigger) + "\n");
  return print(context, trigger_page(context.screen, *trigger, SystemClock{}.wall_ms()));
}

Result<int> next(Context& context, const Arguments& arguments) {
  Call call{.segment = arguments.words[0]};
  if (arguments.words.size() > 1) {
    const auto count = whole_number(arguments.words[1]);
    if (!count) {
      return fail_invalid(
          "count", "invalid count \"" + clean(arguments.words[1]) + "\": use a whole number");
    }
    call.query = {{"count", std::to_string(*count)}};
  }
  const auto answer = context.client.ask(wire::triggers::next, call);
  if (!answer) return std::unexpected(answer.error());
  if (context.json) return print(context, json_text(*answer) + "\n");
  const WallMs now = SystemClock{}.wall_ms();
  std::string text;
  for (const boost::json::value& value : array_in(*answer, "times")) {
    const auto time =
        value.is_string() ? parse_rfc3339(std::string_view(value.get_string())) : std::nullopt;
    if (time) text += say_local(*time) + "  " + say_distance(*time, now) + "\n";
  }
  return print(context, text);
}

constexpr auto kHistoryOptions = std::to_array<Option>({
    {"limit", 'n', Takes::text, "N", "Show at most N entries (default 20)", "limit"},
});

Result<int> history(Context& context, const Arguments& arguments) {
  const auto answer = context.client.ask(
      wire::triggers::history, {.segment = arguments.words[0],
                                .query = {{"limit", arguments.text("limit").value_or("20")}}});
  if (!answer) return std::unexpected(answer.error());
  if (context.json) return print(context, json_text(*answer) + "\n");
  const boost::json::array& entries = array_in(*answer, "entries");
  if (entries.empty()) {
    const auto trigger = context.client.ask(wire::triggers::get, {.segment = arguments.words[0]});
    const bool has_schedule = trigger && is_timed(text_in(object_in(*trigger, "source"), "type"));
    context.screen.notice(arguments.words[0] +
                          (has_schedule ? " has not been due yet" : " has received no event yet"));
    return 0;
  }
  return print(context, ledger_table(entries, context.screen));
}

}  // namespace

Result<object> all_triggers(Context& context) {
  boost::json::array all;
  boost::json::array problems;
  std::string after;
  do {
    Call call;
    if (!after.empty()) call.query = {{"after", after}};
    const auto page = context.client.ask(wire::triggers::list, call);
    if (!page) return page;
    for (const boost::json::value& one : array_in(*page, "triggers")) all.push_back(one);
    problems = array_in(*page, "problems");
    after = text_in(*page, "next");
  } while (!after.empty());
  return object{{"triggers", std::move(all)}, {"problems", std::move(problems)}};
}

const Command kTriggerLs{
    .name = "trigger ls",
    .words = {},
    .group = Group::automation,
    .summary = "List triggers",
    .help =
        "List triggers with their next due time and what became of the last one.\n\n"
        "Problems of the files that declare triggers are printed on stderr, and so is what may "
        "keep a trigger from firing, such as a missing directory.",
    .examples = {{{"drover trigger ls", "List all triggers."},
                  {"drover trigger ls --json | jq -r '.triggers[].name'", "Print their names."}}},
    .options = {},
    .run = list,
    .check = check_declared_triggers,
};

const Command kTriggerShow{
    .name = "trigger show",
    .words = "TRIGGER",
    .group = Group::automation,
    .summary = "Show a trigger",
    .help = "Show when a trigger fires, what it starts, and what it has done so far.",
    .examples = {{{"drover trigger show nightly", "Show the trigger nightly."},
                  {"drover trigger show nightly --json", "Print it as JSON."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = show,
    .offers = kOffersTriggers,
};

const Command kTriggerNext{
    .name = "trigger next",
    .words = "TRIGGER [N]",
    .group = Group::automation,
    .summary = "Show the next due times of a trigger",
    .help = "Show the next N due times of a trigger, in local time; 5 if N is not given.",
    .examples = {{{"drover trigger next nightly", "Show the next five times."},
                  {"drover trigger next nightly 31", "Show the next month of a daily trigger."}}},
    .options = {},
    .words_min = 1,
    .words_max = 2,
    .run = next,
    .offers = kOffersTriggers,
};

const Command kTriggerHistory{
    .name = "trigger history",
    .words = "TRIGGER",
    .group = Group::automation,
    .summary = "Show what became of a trigger's due times and events",
    .help =
        "Show what became of each due time or event of a trigger, newest first.\n\n"
        "Each one is fired, skipped, coalesced or missed, with the reason and the run. The newest "
        "1,000 of a trigger are kept.",
    .examples = {{{"drover trigger history nightly", "Show the last 20."},
                  {"drover trigger history nightly -n 100 --json", "Print the last 100 as JSON."}}},
    .options = kHistoryOptions,
    .words_min = 1,
    .words_max = 1,
    .run = history,
    .offers = kOffersTriggers,
};

}  // namespace drover::cli
