// drover cancel: end runs and all they started.
#include <array>
#include <boost/json/serialize.hpp>

#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/run_view.h"
#include "cli/waiting.h"
#include "cli/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"scope", 0, Takes::text, "SCOPE", "every active run of this scope and below it"},
    {"grace", 0, Takes::text, "2s", "between asking it to end and killing it"},
    {"no-wait", 0, Takes::nothing, "", "do not wait until it has ended"},
});

// What happened, in one sentence, once it has ended.
std::string sentence(const object& answer, const object& record) {
  const std::string id = text_in(answer, "run_id");
  if (text_in(answer, "outcome") == "already_finished") {
    return id + " had already finished" +
           (record.empty() ? "" : " (" + text_in(record, "state") + ")");
  }
  if (record.empty()) return id + " is being canceled";
  std::string out = id + " " + text_in(record, "state");
  const object& receipt = object_in(record, "receipt");
  if (const auto n = number_in(receipt, "signalled"); n.value_or(0) > 0) {
    out += ", " + say_count(*n, "process", "processes") + " ended";
    if (!text_in(receipt, "kill_at").empty()) out += " by KILL";
  }
  if (const auto n = number_in(receipt, "survivors"); n.value_or(0) > 0) {
    out += ", " + say_count(*n, "process", "processes") + " could not be ended";
  }
  return out;
}

Result<> cancel_one(Context& context, const std::string& run, const std::string& body, bool wait) {
  Result<object> answer = context.client.ask(wire::Op::runs_cancel, {.segment = run, .body = body});
  if (!answer) return std::unexpected(answer.error());
  object record;
  if (wait) {
    // By its full id: a prefix or @last may mean another run by now.
    const std::string id = text_in(*answer, "run_id");
    Result<object> ended = await_end(context, id.empty() ? run : id);
    if (!ended) return std::unexpected(ended.error());
    record = std::move(*ended);
    (*answer)["state"] = record["state"];
    (*answer)["receipt"] = record["receipt"];
  }
  const std::string line =
      context.json ? boost::json::serialize(*answer) : sentence(*answer, record);
  return context.screen.print(line + "\n");
}

Result<int> cancel_scope(Context& context, const std::string& scope) {
  const Call call{.body = boost::json::serialize(object{{"scope", scope}})};
  const Result<object> answer = context.client.ask(wire::Op::scope_cancel, call);
  if (!answer) return std::unexpected(answer.error());
  std::string text;
  if (context.json) {
    text = boost::json::serialize(*answer) + "\n";
  } else {
    for (const auto& [outcome, count] : object_in(*answer, "outcomes")) {
      text += std::string(outcome) + " " + boost::json::serialize(count) + "\n";
    }
    if (text.empty()) context.screen.notice("no active run in " + scope);
  }
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> cancel(Context& context, const Arguments& arguments) {
  object body;
  if (const auto grace = arguments.text("grace")) body["grace"] = *grace;
  const auto scope = arguments.text("scope");
  if (scope.has_value() == !arguments.words.empty()) {
    return fail_invalid("run", "name the runs to cancel, or a --scope");
  }
  if (scope && arguments.has("grace")) {
    return fail_invalid("grace", "--grace is for single runs; those of a scope keep their own");
  }
  if (scope) return cancel_scope(context, *scope);
  int code = 0;
  for (const std::string& run : arguments.words) {
    const Result<> done =
        cancel_one(context, run, boost::json::serialize(body), !arguments.has("no-wait"));
    if (done) continue;
    const int failed = explain(done.error(), context.screen, context.json);
    if (code == 0) code = failed;
  }
  return code;
}

}  // namespace

const Command kCancel{
    .name = "cancel",
    .words = "RUN…",
    .help =
        "End runs and all they started, and wait until that is done.\n"
        "A run that has already finished is no error. --scope does not wait.",
    .options = kOptions,
    .words_min = 0,
    .words_max = kAnyNumber,
    .run = cancel,
    .alias = "kill",
    .runs = Runs::active,
};

}  // namespace drover::cli
