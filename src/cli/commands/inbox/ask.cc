// drover ask: asks people a question, from inside a run.
#include <poll.h>

#include <boost/json/array.hpp>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/commands/inbox/commands.h"
#include "cli/commands/inbox/own_run.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/views/columns.h"
#include "wire/errors.h"
#include "wire/inbox/operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"choice", 0, Takes::many, "CHOICE",
     "A possible answer; may be repeated. Without it, any text is accepted", "choices"},
    {"context", 0, Takes::text, "TEXT", "The facts that a person needs to answer", "context"},
    {"timeout", 0, Takes::text, "DURATION",
     "The question expires after this time, or never (default 24h)", "timeout"},
    {"wait", 0, Takes::nothing, "", "Wait for the answer and print it"},
    {"key", 0, Takes::text, "KEY", "Asking again with the same key adds no second question"},
});

Result<object> body_of(const Arguments& arguments) {
  object body{{"question", arguments.words[0]}};
  boost::json::array choices;
  for (const std::string& choice : arguments.all("choice")) {
    if (auto ok = check_text(choice, "choice"); !ok) return std::unexpected(ok.error());
    choices.emplace_back(choice);
  }
  if (auto ok = check_text(arguments.words[0], "question"); !ok) {
    return std::unexpected(ok.error());
  }
  if (!choices.empty()) body["choices"] = std::move(choices);
  for (const char* name : {"context", "timeout"}) {
    const auto text = arguments.text(name);
    if (!text) continue;
    if (auto ok = check_text(*text, name); !ok) return std::unexpected(ok.error());
    body[name] = *text;
  }
  if (arguments.has("wait")) body["waits"] = true;
  return body;
}

// Calls again while no daemon answers, for as long as it takes: the process that asked has nothing
// else to do, and its run continues without a daemon.
Result<object> ask_patiently(Context& context, const wire::Operation& operation, const Call& call) {
  for (bool noticed = false;;) {
    auto answer = context.client.ask(operation, call);
    if (answer || !is_away(answer.error())) return answer;
    if (!noticed) context.screen.notice("no daemon is running; waiting for one");
    noticed = true;
    ::poll(nullptr, 0, static_cast<int>(limits::kProgressAfterMs));
  }
}

Result<object> await_answer(Context& context, const std::string& id) {
  const Call call{.segment = id,
                  .query = {{"wait", format_duration(limits::kWaitMaxMs)}},
                  .held_ms = limits::kWaitMaxMs,
                  .at_once = true};
  for (;;) {
    auto entry = ask_patiently(context, wire::inbox::get, call);
    if (!entry || text_in(*entry, "state") != "open") return entry;
  }
}

// The output of `ask --wait`: the choice, or the text; both, if both were given.
std::string say_answer(const object& entry) {
  const object& answer = object_in(entry, "answer");
  const std::string choice = text_in(answer, "choice");
  const std::string text = text_in(answer, "text");
  return choice + (choice.empty() || text.empty() ? "" : "\n") + text;
}

Result<int> finish(Context& context, const object& entry) {
  const std::string state = text_in(entry, "state");
  if (context.json) {
    if (auto ok = context.screen.print(json_text(entry) + "\n"); !ok) {
      return std::unexpected(ok.error());
    }
  }
  if (state == "answered") {
    if (context.json) return 0;
    if (auto ok = context.screen.print(say_answer(entry) + "\n"); !ok) {
      return std::unexpected(ok.error());
    }
    return 0;
  }
  const bool expired = state == "expired";
  context.screen.notice(
      text_in(entry, "id") +
      (expired ? " has expired without an answer" : " was " + clean(state) + " without an answer"));
  return expired ? wire::exit_code::kTimedOut : wire::exit_code::kCanceled;
}

Result<int> ask(Context& context, const Arguments& arguments) {
  auto run = own_run("ask");
  if (!run) return std::unexpected(run.error());
  auto body = body_of(arguments);
  if (!body) return std::unexpected(body.error());
  const Message message{.operation = &wire::inbox::ask,
                        .run = std::move(*run),
                        .body = std::move(*body),
                        .key = arguments.text("key").value_or(new_message_key())};
  if (arguments.has("wait")) {
    const auto asked = ask_patiently(context, wire::inbox::ask,
                                     {.segment = message.run,
                                      .body = json_text(message.body),
                                      .key = message.key,
                                      .at_once = true});
    if (!asked) return std::unexpected(asked.error());
    const auto entry = await_answer(context, text_in(*asked, "id"));
    if (!entry) return std::unexpected(entry.error());
    return finish(context, *entry);
  }
  const auto asked = send_or_spool(context, message);
  if (!asked) return std::unexpected(asked.error());
  if (!*asked) {
    context.screen.notice(
        "no daemon is running: the question is stored, and the next daemon asks it");
    return 0;
  }
  const std::string text = context.json ? json_text(**asked) : text_in(**asked, "id");
  if (auto ok = context.screen.print(text + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace

const Command kAsk{
    .name = "ask",
    .words = "QUESTION",
    .group = Group::automation,
    .summary = "Ask people a question, from inside a run",
    .help =
        "Ask people a question in the name of the run that this command is part of, and print the "
        "id of the question.\n\n"
        "With --wait, wait for the answer and print it: the exit code is 0. If the question "
        "expires, the exit code is 124; if a person dismisses it, 130. Waiting survives a restart "
        "of the daemon.\n\n"
        "If no daemon answers, the question is kept in a file, and asked when the daemon is back.",
    .examples = {{{"drover ask --wait \"Deploy?\" --choice yes --choice no",
                   "Ask, wait, and print yes or no."},
                  {"drover ask \"Which version?\" --context \"$(git tag)\" --timeout 1h",
                   "Ask for any text, for at most an hour; do not wait."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = 1,
    .run = ask,
};

}  // namespace drover::cli
