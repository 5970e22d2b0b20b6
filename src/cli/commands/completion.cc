// drover completion: prints the completion script for a shell, and answers that script.
#include <unistd.h>

#include "base/limits.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/help/completion.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "wire/operations/lanes.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

Result<int> completion(Context& context, const Arguments& arguments) {
  const std::string& shell = arguments.words.front();
  const std::string_view script = completion_script(shell);
  if (script.empty()) {
    return fail_invalid("shell", "unknown shell \"" + shell + "\": use bash, zsh or fish");
  }
  if (auto ok = context.screen.print(script); !ok) return std::unexpected(ok.error());
  return 0;
}

bool suits(Runs wanted, const object& run) {
  return wanted == Runs::any || (wanted == Runs::ended) == has_ended(run);
}

// Completes ids as they are typed: with or without the run_ prefix.
void add_runs(Context& context, const CompletionRequest& wanted, std::vector<Candidate>& out) {
  const Runs which = wanted.command == nullptr ? Runs::any : wanted.command->runs;
  Call call{.query = {{"limit", std::to_string(limits::kPageDefault)}}};
  if (which == Runs::active) call.query.emplace_back("active", "true");
  const Result<object> page = context.client.ask(wire::runs::list, call);
  if (!page) return;
  for (const std::string_view name : {"@last", "@failed"}) {
    if (wanted.typed.starts_with('@') && name.starts_with(wanted.typed)) {
      out.push_back({wanted.before + std::string(name), ""});
    }
  }
  for (const boost::json::value& value : array_in(*page, "runs")) {
    if (!value.is_object() || !suits(which, value.get_object())) continue;
    const object& run = value.get_object();
    const std::string id = text_in(run, "run_id");
    const std::string bare = id.substr(std::min(id.size(), id.find('_') + 1));
    const std::string help = text_in(run, "state") + " " + cut(clean(title_of(run)), 40);
    if (id.starts_with(wanted.typed)) {
      out.push_back({wanted.before + id, help});
    } else if (bare.starts_with(wanted.typed)) {
      out.push_back({wanted.before + bare, help});
    }
  }
}

void add_lanes(Context& context, const CompletionRequest& wanted, std::vector<Candidate>& out) {
  const Result<object> answer = context.client.ask(wire::lanes::list, {});
  if (!answer) return;
  for (const boost::json::value& lane : array_in(*answer, "lanes")) {
    const std::string name = lane.is_object() ? text_in(lane.get_object(), "name") : "";
    if (!name.empty() && name.starts_with(wanted.typed)) {
      out.push_back({wanted.before + name, ""});
    }
  }
}

Result<int> complete(Context& context, const Arguments& arguments) {
  ::alarm(limits::kCompletionSeconds);  // A daemon that does not answer must not block a shell.
  const CompletionRequest wanted = what_is_wanted(context.commands, arguments.words);
  std::vector<Candidate> found = candidates(context.commands, wanted);
  if (wanted.what == "RUN") add_runs(context, wanted, found);
  if (wanted.what == "RUN" && wanted.command == &kWhy) {
    for (const Explainer& explainer : context.explainers) explainer.offer(context, wanted, found);
  }
  if (wanted.what == "LANE") add_lanes(context, wanted, found);
  if (wanted.command != nullptr) {
    for (const Offer& offer : wanted.command->offers) {
      if (offer.what == wanted.what) offer.add(context, wanted, found);
    }
  }
  std::string text;
  for (const Candidate& candidate : found) {
    text += candidate.text + (candidate.help.empty() ? "" : "\t" + candidate.help) + "\n";
  }
  (void)context.screen.print(text);
  return 0;
}

}  // namespace

const Command kCompletion{
    .name = "completion",
    .words = "SHELL",
    .group = Group::automation,
    .summary = "Print a shell completion script",
    .help =
        "Print a script that completes commands, options, runs, lanes and projects.\n\n"
        "For bash, add `source <(drover completion bash)` to ~/.bashrc. For zsh, add `source "
        "<(drover completion zsh)` to ~/.zshrc. For fish, add `drover completion fish | source` "
        "to ~/.config/fish/config.fish.",
    .examples =
        {{{"source <(drover completion bash)", "Complete drover commands in this bash shell."},
          {"drover completion fish | source", "Complete drover commands in this fish shell."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .daemon = Daemon::never_start,
    .run = completion,
};

const Command kComplete{
    .name = "__complete",
    .words = "-- WORDS…",
    .group = Group::automation,
    .summary = "Print completions for a shell script",
    .help = "Print the possible next words, for the completion scripts.",
    .options = {},
    .words_min = 0,
    .words_max = kAnyNumber,
    .foreign_words = true,
    .daemon = Daemon::never_start,
    .run = complete,
    .hidden = true,
};

}  // namespace drover::cli
