// drover lane: lists and changes the queues, and how many runs each runs at once.

#include "base/clock.h"
#include "base/number.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/columns.h"
#include "cli/views/lanes_table.h"
#include "wire/operations/lanes.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

Result<int> list(Context& context, const Arguments&) {
  const Result<object> answer = context.client.ask(wire::lanes::list, {});
  if (!answer) return std::unexpected(answer.error());
  const std::string text = context.json ? json_text(*answer) + "\n"
                                        : lanes_table(array_in(*answer, "lanes"), context.screen,
                                                      SystemClock{}.wall_ms());
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
        "A lane is a queue with a limit: at most that many of its runs run at a time. Runs wait "
        "in the lane default if no other is named. The lane play is reserved for projects; the "
        "lane "
        "apps is kept for apps, which do not exist yet.",
    .noun_summary = "Manage lanes",
    .examples = {{{"drover lane ls", "List all lanes."},
                  {"drover lane ls --json", "Print the lanes as JSON."}}},
    .options = {},
    .run = list,
};

const Command kLaneSet{
    .name = "lane set",
    .words = "LANE LIMIT",
    .group = Group::queue,
    .summary = "Create a lane or set its limit",
    .help = "Set how many runs of a lane run at a time, and create the lane if it is new.",
    .examples = {{{"drover lane set build 4", "Run at most four builds at a time."},
                  {"drover lane set gpu 1", "Let one run at a time use the GPU."}}},
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
        "Start no more runs of a lane.\n\n"
        "Active runs keep running, and new runs wait in the queue.",
    .examples = {{{"drover lane pause build", "Hold back all queued builds."},
                  {"drover lane pause default",
                   "Start no more runs that were submitted without a lane."}}},
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
    .examples = {{{"drover lane resume build", "Start queued builds again."},
                  {"drover lane resume default", "Start the runs of the lane default again."}}},
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
    .help =
        "Refuse new runs of a lane.\n\n"
        "Drover still finishes its active and queued runs.",
    .examples = {{{"drover lane drain build", "Finish all builds, and accept no new ones."},
                  {"drover lane drain default",
                   "Accept only runs of other lanes, before a shutdown."}}},
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
    .examples = {{{"drover lane rm build", "Remove the lane build."},
                  {"drover lane rm build --json", "The same for programs."}}},
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
    .examples = {{{"drover lane move nightly slow", "Let the run nightly wait in the lane slow."},
                  {"drover lane move @last default",
                   "Let the newest run wait in the lane default."}}},
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
