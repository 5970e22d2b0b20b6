// drover trigger pause, resume, fire, rm.
#include <boost/json/parse.hpp>

#include "cli/commands/triggers/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/output.h"
#include "wire/triggers/operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

// Prints `done` once the daemon has done it, or its answer as JSON.
Result<int> tell(Context& context, const wire::Operation& operation, const Call& call,
                 const std::string& done) {
  const Result<object> answer = context.client.ask(operation, call);
  if (!answer) return std::unexpected(answer.error());
  const std::string text = context.json ? json_text(*answer) : done;
  if (auto ok = context.screen.print(text + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> pause(Context& context, const Arguments& arguments) {
  return tell(context, wire::triggers::pause, {.segment = arguments.words[0]},
              "trigger " + arguments.words[0] + " is paused");
}

Result<int> resume(Context& context, const Arguments& arguments) {
  return tell(context, wire::triggers::resume, {.segment = arguments.words[0]},
              "trigger " + arguments.words[0] + " is active");
}

Result<int> remove(Context& context, const Arguments& arguments) {
  return tell(context, wire::triggers::remove, {.segment = arguments.words[0]},
              "trigger " + arguments.words[0] + " removed");
}

constexpr auto kFireOptions = std::to_array<Option>({
    {"data", 0, Takes::text, "JSON", "Pass this to the run, in DROVER_TRIGGER", "payload"},
});

Result<int> fire(Context& context, const Arguments& arguments) {
  object body;
  if (const auto data = arguments.text("data")) {
    boost::system::error_code bad;
    body["payload"] = boost::json::parse(*data, bad);
    if (bad) return fail_invalid("data", "--data is not valid JSON: " + bad.message());
  }
  const auto answer = context.client.ask(wire::triggers::fire,
                                         {.segment = arguments.words[0], .body = json_text(body)});
  if (!answer) return std::unexpected(answer.error());
  const std::string run = text_in(*answer, "run_id");
  if (context.json || !run.empty()) {
    const std::string text = context.json ? json_text(*answer) : run;
    if (auto ok = context.screen.print(text + "\n"); !ok) return std::unexpected(ok.error());
  }
  if (!run.empty()) return 0;
  return fail(ErrorCode::conflict, "skipped",
              arguments.words[0] + " did not fire: " + text_in(*answer, "reason"), "trigger");
}

}  // namespace

const Command kTriggerPause{
    .name = "trigger pause",
    .words = "TRIGGER",
    .group = Group::automation,
    .summary = "Pause a trigger",
    .help =
        "Keep a trigger from firing until it is resumed.\n\n"
        "The due times that pass meanwhile are skipped; `drover trigger history` lists them.",
    .examples = {{{"drover trigger pause nightly", "Pause the trigger nightly."},
                  {"drover trigger pause nightly --json", "Print the paused trigger as JSON."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = pause,
    .offers = kOffersTriggers,
};

const Command kTriggerResume{
    .name = "trigger resume",
    .words = "TRIGGER",
    .group = Group::automation,
    .summary = "Resume a paused trigger",
    .help =
        "Let a paused trigger fire again, from now on.\n\n"
        "It also ends the waiting time after runs that failed.",
    .examples = {{{"drover trigger resume nightly", "Resume the trigger nightly."},
                  {"drover trigger resume nightly --json", "Print it with its next due time."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = resume,
    .offers = kOffersTriggers,
};

const Command kTriggerFire{
    .name = "trigger fire",
    .words = "TRIGGER",
    .group = Group::automation,
    .summary = "Fire a trigger now",
    .help =
        "Fire a trigger now, even if it is paused, and print the id of the run.\n\n"
        "If its last run is still active and the trigger skips overlaps, it does not fire, and the "
        "exit code is 6.",
    .examples = {{{"drover trigger fire nightly", "Start the nightly run now."},
                  {"drover wait $(drover trigger fire nightly)", "Start it and wait for it."}}},
    .options = kFireOptions,
    .words_min = 1,
    .words_max = 1,
    .run = fire,
    .offers = kOffersTriggers,
};

const Command kTriggerRm{
    .name = "trigger rm",
    .words = "TRIGGER",
    .group = Group::automation,
    .summary = "Remove a trigger",
    .help = "Remove a trigger with its history.\n\nIts runs stay.",
    .examples = {{{"drover trigger rm nightly", "Remove the trigger nightly."},
                  {"drover trigger rm nightly && drover ps --all --scope trigger/nightly",
                   "Remove it, and list the runs that it started."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = remove,
    .offers = kOffersTriggers,
};

}  // namespace drover::cli
