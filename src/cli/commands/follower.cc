// drover follower: lists the parts of the daemon that process the event log, and resumes a stopped
// one or skips the event that it stopped at.

#include <array>

#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/help/completion.h"
#include "cli/views/table.h"
#include "wire/operations/followers.h"

namespace drover::cli {
namespace {

using boost::json::object;

Result<int> list(Context& context, const Arguments&) {
  const Result<object> answer = context.client.ask(wire::followers::list, {});
  if (!answer) return std::unexpected(answer.error());
  Table table({"FOLLOWER", "CURSOR", "LAG", "STATE"}, 3);
  for (const boost::json::value& value : array_in(*answer, "followers")) {
    if (!value.is_object()) continue;
    const object& follower = value.get_object();
    const std::string stopped_at = text_in(follower, "stopped_at");
    table.add({{text_in(follower, "name"), Color::bold},
               {text_in(follower, "cursor")},
               {std::to_string(number_in(follower, "lag").value_or(0))},
               stopped_at.empty()
                   ? Cell{"following", Color::green}
                   : Cell{"stopped at " + stopped_at + ": " + clean(text_in(follower, "reason")),
                          Color::red}});
  }
  const std::string text = context.json ? json_text(*answer) + "\n" : table.text(context.screen);
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> tell(Context& context, const Arguments& arguments, const wire::Operation& operation,
                 const std::string& done) {
  const Result<object> answer = context.client.ask(operation, {.segment = arguments.words[0]});
  if (!answer) return std::unexpected(answer.error());
  const std::string text = context.json ? json_text(*answer) : arguments.words[0] + done;
  if (auto ok = context.screen.print(text + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> resume(Context& context, const Arguments& arguments) {
  return tell(context, arguments, wire::followers::resume, " resumed");
}
Result<int> skip(Context& context, const Arguments& arguments) {
  return tell(context, arguments, wire::followers::skip, " resumed after the event");
}

void offer_followers(Context& context, const CompletionRequest& wanted,
                     std::vector<Candidate>& out) {
  const Result<object> answer = context.client.ask(wire::followers::list, {});
  if (!answer) return;
  for (const boost::json::value& follower : array_in(*answer, "followers")) {
    const std::string name = follower.is_object() ? text_in(follower.get_object(), "name") : "";
    if (!name.empty() && name.starts_with(wanted.typed)) out.push_back({wanted.before + name, ""});
  }
}
constexpr auto kOffers = std::to_array<Offer>({{"FOLLOWER", offer_followers}});

}  // namespace

const Command kFollowerLs{
    .name = "follower ls",
    .words = {},
    .group = Group::daemon,
    .summary = "List the daemon's event followers",
    .help =
        "List the daemon's followers and how far each has read the event log.\n\n"
        "A follower is a part of the daemon that acts on events. It stops at an event that it "
        "cannot process.",
    .noun_summary = "Manage the daemon's event followers",
    .examples = {{{"drover follower ls", "List all followers."},
                  {"drover follower ls --json",
                   "Print the followers as JSON, with the error of a stopped one."}}},
    .options = {},
    .run = list,
};

const Command kFollowerResume{
    .name = "follower resume",
    .words = "FOLLOWER",
    .group = Group::daemon,
    .summary = "Resume a stopped follower",
    .help = "Resume a stopped follower: it processes the same event once more.",
    .examples = {{{"drover follower resume FOLLOWER",
                   "Resume a follower that `drover follower ls` lists as stopped."},
                  {"drover follower resume --json FOLLOWER",
                   "Resume it and print its new state as JSON."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = resume,
    .offers = kOffers,
};

const Command kFollowerSkip{
    .name = "follower skip",
    .words = "FOLLOWER",
    .group = Group::daemon,
    .summary = "Skip the event that a follower stopped at",
    .help =
        "Resume a stopped follower after the event that it stopped at.\n\n"
        "The follower never processes that event.",
    .examples = {{{"drover follower skip FOLLOWER",
                   "Skip the event that `drover follower ls` shows."},
                  {"drover follower skip --json FOLLOWER",
                   "Skip the event and print the new state as JSON."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = skip,
    .offers = kOffers,
};

}  // namespace drover::cli
