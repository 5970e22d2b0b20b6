// drover lane: lists and changes the queues, and how many runs each runs at once.

#include "base/clock.h"
#include "base/number.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "wire/operations/lanes.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

// "paused 5m", "draining 2h": an unusual state, and for how long.
std::string condition(const object& lane, WallMs now) {
  std::string out;
  for (const auto& [key, word] :
       {std::pair("paused_at", "paused"), std::pair("draining_at", "draining")}) {
    const auto since = parse_rfc3339(text_in(lane, key));
    if (!since) continue;
    const std::string age = say_age(now - *since);
    out += (out.empty() ? "" : ", ") + std::string(word) + (age == "now" ? " just now" : " " + age);
  }
  return out;
}

Result<int> list(Context& context, const Arguments&) {
  const Result<object> answer = context.client.ask(wire::lanes::list, {});
  if (!answer) return std::unexpected(answer.error());
  const WallMs now = SystemClock{}.wall_ms();
  Table table({"LANE", "LIMIT", "RUNNING", "QUEUED", "STATE"}, 0);
  for (const boost::json::value& value : array_in(*answer, "lanes")) {
    if (!value.is_object()) continue;
    const object& lane = value.get_object();
    const auto number = [&](std::string_view key) {
      return std::to_string(number_in(lane, key).value_or(0));
    };
    const std::string unusual = condition(lane, now);
    table.add({{text_in(lane, "name"), Color::bold},
               {number("limit")},
               {number("active")},
               {number("queued")},
               unusual.empty() ? Cell{"open"} : Cell{unusual, Color::yellow}});
  }
  const std::string text = context.json ? json_text(*answer) + "\n" : table.text(context.screen);
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

// Prints `done` once the daemon has done it, or its answer as JSON.
Result<int> tell(Context& context, const wire::Operation& operation, const Call& call,
                 const std::string& done) {
  const Result<object> answer = context.client.ask(operation, call);
  if (!answer) return std::unexpected(answer.error());
  const std::string text = context.json ? json_text(*answer) : done;
  if (auto ok = context.screen.print(text + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> change(Context& context, const Arguments& arguments, const object& wish,
                   const std::string& done) {
  return tell(context, wire::lanes::set, {.segment = arguments.words[0], .body = json_text(wish)},
              "lane " + arguments.words[0] + " " + done);
}

Result<int> set(Context& context, const Arguments& arguments) {
  const auto limit = whole_number(arguments.words[1]);
  if (!limit) {
    return fail_invalid("limit",
                        "invalid limit \"" + clean(arguments.words[1]) + "\": use a whole number");
  }
  return change(context, arguments, {{"limit", *limit}},
                "runs at most " + std::to_string(*limit) + " at a time");
}

Result<int> pause(Context& context, const Arguments& arguments) {
  return change(context, arguments, {{"paused", true}}, "is paused");
}
Result<int> resume(Context& context, const Arguments& arguments) {
  return change(context, arguments, {{"paused", false}, {"draining", false}}, "is open");
}
Result<int> drain(Context& context, const Arguments& arguments) {
  return change(context, arguments, {{"draining", true}}, "accepts no new runs");
}
Result<int> remove(Context& context, const Arguments& arguments) {
  return tell(context, wire::lanes::remove, {.segment = arguments.words[0]},
              "lane " + arguments.words[0] + " removed");
}

Result<int> move(Context& context, const Arguments& arguments) {
  const object wish{{"lane", arguments.words[1]}};
  return tell(context, wire::runs::move, {.segment = arguments.words[0], .body = json_text(wish)},
              arguments.words[0] + " moved to lane " + arguments.words[1]);
}

Result<int> prefer(Context& context, const Arguments& arguments) {
  const auto priority = whole_number(arguments.words[1]);
  if (!priority) {
    return fail_invalid(
        "priority", "invalid priority \"" + clean(arguments.words[1]) + "\": use a whole number");
  }
  const object wish{{"priority", *priority}};
  return tell(context, wire::runs::move, {.segment = arguments.words[0], .body = json_text(wish)},
              arguments.words[0] + " has priority " + std::to_string(*priority));
}

}  // namespace

const Command kLaneLs{
    .name = "lane ls",
    .words = {},
    .group = Group::queue,
    .summary = "List lanes",
    .help =
        "List lanes with their limits and how many of their runs are running and queued.\n\n"
        "A lane is a queue with a limit: at most that many of its runs run at a time.",
    .noun_summary = "Manage lanes",
    .examples = {{{"drover lane ls", "List all lanes."}}},
    .options = {},
    .run = list,
};

const Command kLaneSet{
    .name = "lane set",
    .words = "LANE LIMIT",
    .group = Group::queue,
    .summary = "Create a lane or set its limit",
    .help = "Set how many runs of a lane run at a time, and create the lane if it is new.",
    .examples = {{{"drover lane set build 4", "Run at most four builds at a time."}}},
    .options = {},
    .words_min = 2,
    .words_max = 2,
    .run = set,
};

const Command kLanePause{
    .name = "lane pause",
    .words = "LANE",
    .group = Group::queue,
    .summary = "Start no more runs of a lane",
    .help =
        "Start no more runs of a lane. Active runs keep running, and new runs wait in the "
        "queue.",
    .examples = {{{"drover lane pause build", "Hold back all queued builds."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = pause,
};

const Command kLaneResume{
    .name = "lane resume",
    .words = "LANE",
    .group = Group::queue,
    .summary = "Resume a paused or drained lane",
    .help = "Resume a lane that was paused or drained.",
    .examples = {{{"drover lane resume build", "Start queued builds again."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = resume,
};

const Command kLaneDrain{
    .name = "lane drain",
    .words = "LANE",
    .group = Group::queue,
    .summary = "Refuse new runs of a lane",
    .help = "Refuse new runs of a lane. Drover still finishes its active and queued runs.",
    .examples = {{{"drover lane drain build", "Finish all builds, and accept no new ones."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = drain,
};

const Command kLaneRm{
    .name = "lane rm",
    .words = "LANE",
    .group = Group::queue,
    .summary = "Remove an empty lane",
    .help = "Remove a lane that has no active or queued runs.",
    .examples = {{{"drover lane rm build", "Remove the lane build."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = remove,
};

const Command kLaneMove{
    .name = "lane move",
    .words = "RUN LANE",
    .group = Group::queue,
    .summary = "Move a queued run to another lane",
    .help = "Move a queued run to another lane.",
    .examples = {{{"drover lane move nightly slow", "Let the run nightly wait in the lane slow."}}},
    .options = {},
    .words_min = 2,
    .words_max = 2,
    .run = move,
};

const Command kPriority{
    .name = "priority",
    .words = "RUN N",
    .group = Group::queue,
    .summary = "Change the priority of a queued run",
    .help =
        "Change the priority of a queued run.\n\n"
        "Of the runs that wait in a lane, the one with the highest priority starts first. The "
        "priority is a number from -100 to 100; the default is 0.",
    .examples = {{{"drover priority nightly 10", "Start the run before the others of its lane."},
                  {"drover priority nightly -10", "Start the run after the others of its lane."}}},
    .options = {},
    .words_min = 2,
    .words_max = 2,
    .run = prefer,
};

}  // namespace drover::cli
