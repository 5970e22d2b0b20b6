// drover inbox, drover inbox show: questions of runs, and reports.
#include <unistd.h>

#include <iostream>

#include "base/clock.h"
#include "base/number.h"
#include "cli/commands/inbox/commands.h"
#include "cli/commands/inbox/inbox_view.h"
#include "cli/commands/inbox/parse_answer.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/views/columns.h"
#include "wire/inbox/operations.h"

namespace drover::cli {
namespace {

using boost::json::array;
using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"all", 'a', Takes::nothing, "", "Also show reports and closed questions", "all"},
    {"run", 0, Takes::text, "RUN_ID", "Only those of this run", "run"},
    {"type", 0, Takes::text, "TYPE", "Only this type of reports, such as output", "type"},
    {"limit", 'n', Takes::text, "COUNT", "How many (default 100)", "limit"},
});

Result<int> print(Context& context, const std::string& text) {
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<array> entries(Context& context, const Arguments& arguments) {
  Call call;
  const bool all = arguments.has("all") || arguments.has("type");
  if (all) call.query.emplace_back("all", "true");
  for (const char* name : {"run", "type", "limit"}) {
    if (const auto text = arguments.text(name)) call.query.emplace_back(name, *text);
  }
  const auto answer = context.client.ask(wire::inbox::list, call);
  if (!answer) return std::unexpected(answer.error());
  return array_in(*answer, "entries");
}

// Reads a line that the user types, without its end. Empty: nothing was typed, or the input has
// ended.
std::string read_line(Context& context, const std::string& prompt) {
  std::string line;
  if (!context.screen.print(prompt)) return "";
  if (!std::getline(std::cin, line)) return "";
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
  return line;
}

// Whether the question has been answered.
bool answer_one(Context& context, const object& question) {
  std::string prompt = "\n" + entry_page(question, context.screen, SystemClock{}.wall_ms());
  size_t number = 0;
  for (const boost::json::value& choice : array_in(question, "choices")) {
    prompt += "    " + std::to_string(++number) + "  " +
              clean(choice.is_string() ? std::string_view(choice.get_string()) : "") + "\n";
  }
  const std::string ask =
      number == 0 ? "Answer (Enter: none): " : "Answer, or its number (Enter: none): ";
  std::string line = read_line(context, prompt + ask);
  auto answer = parse_answer(question, line);
  for (; !line.empty() && !answer; answer = parse_answer(question, line)) {
    context.screen.notice(say_answers(question));
    line = read_line(context, ask);
  }
  if (line.empty()) return false;
  const auto done = context.client.ask(
      wire::inbox::answer, {.segment = text_in(question, "id"), .body = json_text(*answer)});
  // For example, somebody else was first: the others can still be answered.
  if (!done) (void)explain(done.error(), context.screen, false);
  if (done) context.screen.notice(text_in(*done, "id") + " is answered");
  return done.has_value();
}

// Answers questions by their numbers, until nothing is typed or all are answered.
Result<int> converse(Context& context, const array& all) {
  std::vector<object> open;
  for (const boost::json::value& entry : all) {
    if (text_in(entry.get_object(), "state") == "open") open.push_back(entry.get_object());
  }
  for (size_t left = open.size(); left > 0;) {
    const std::string numbers = open.size() == 1 ? "1" : "1-" + std::to_string(open.size());
    const std::string line =
        read_line(context, "\nWhich question (" + numbers + ", Enter: none): ");
    if (line.empty()) break;
    const auto number = whole_number(line);
    if (!number || *number < 1 || static_cast<size_t>(*number) > open.size()) {
      context.screen.notice("type a number from 1 to " + std::to_string(open.size()));
      continue;
    }
    object& question = open[static_cast<size_t>(*number) - 1];
    if (question.empty()) {
      context.screen.notice("question " + line + " is answered");
    } else if (answer_one(context, question)) {
      question.clear();
      --left;
    }
  }
  return 0;
}

Result<int> inbox(Context& context, const Arguments& arguments) {
  const auto all = entries(context, arguments);
  if (!all) return std::unexpected(all.error());
  if (context.json) {
    array lines;
    for (const boost::json::value& entry : *all) lines.push_back(entry_line(entry.as_object()));
    return print(context, json_text(lines) + "\n");
  }
  if (all->empty()) {
    context.screen.notice(arguments.has("all")
                              ? "the inbox is empty"
                              : "the inbox has no open questions; --all shows reports and closed "
                                "questions");
    return 0;
  }
  const auto shown = print(context, inbox_page(*all, context.screen, SystemClock{}.wall_ms()));
  const bool is_conversation = ::isatty(STDIN_FILENO) == 1 && context.screen.output_is_terminal();
  if (!shown || !is_conversation) return shown;
  return converse(context, *all);
}

Result<int> show(Context& context, const Arguments& arguments) {
  const auto entry = context.client.ask(wire::inbox::get, {.segment = arguments.words[0]});
  if (!entry) return std::unexpected(entry.error());
  return print(context, context.json ? json_text(*entry) + "\n"
                                     : entry_page(*entry, context.screen, SystemClock{}.wall_ms()));
}

}  // namespace

const Command kInbox{
    .name = "inbox",
    .words = "",
    .group = Group::automation,
    .summary = "Show the questions of runs, and answer them",
    .help =
        "Show the open questions of runs, newest first.\n\nOn a terminal, choose a question by its "
        "number and answer it.\n\n"
        "With --json, print one list of questions.",
    .noun_summary = "Show and answer the questions of runs",
    .examples = {{{"drover inbox", "Show the open questions, and answer some."},
                  {"drover inbox --all -n 20", "Show the 20 newest questions and reports."}}},
    .options = kOptions,
    .run = inbox,
};

const Command kInboxShow{
    .name = "inbox show",
    .words = "ENTRY",
    .group = Group::automation,
    .summary = "Show a question or a report",
    .help = "Show a question with its whole context and its answer, or a report with its data.",
    .examples = {{{"drover inbox show question_01kxd3v8", "Show this question."},
                  {"drover inbox show question_01kxd3v8 --json | jq -r .context",
                   "Print its context."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = show,
    .offers = kOffersEntries,
};

}  // namespace drover::cli
