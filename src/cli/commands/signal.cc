// drover signal: sends a signal to a run's process group.
#include <algorithm>
#include <cctype>

#include "base/number.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/words.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

// "term", "SIGTERM" and "15" are all TERM. An unknown name is sent unchanged, so that the daemon's
// error message quotes it.
std::string signal_name(std::string text) {
  constexpr std::int64_t kLast = 64;  // The last signal number on Linux.
  if (const auto number = whole_number(text); number && *number >= 1 && *number <= kLast) {
    return say_signal(static_cast<int>(*number));
  }
  if (text.contains('_')) return text;  // The id of a run, in the wrong place.
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text.starts_with("SIG") ? text.substr(3) : text;
}

Result<int> signal(Context& context, const Arguments& arguments) {
  const boost::json::object body{{"signal", signal_name(arguments.words[1])}};
  const Call call{.segment = arguments.words[0], .body = json_text(body)};
  const Result<boost::json::object> answer = context.client.ask(wire::runs::signal, call);
  if (!answer) return std::unexpected(answer.error());
  if (!context.json) return 0;
  if (auto ok = context.screen.print(json_text(*answer) + "\n"); !ok) {
    return std::unexpected(ok.error());
  }
  return 0;
}

}  // namespace

const Command kSignal{
    .name = "signal",
    .words = "RUN SIGNAL",
    .group = Group::everyday,
    .summary = "Send a signal to a run",
    .help = "Send a signal to the process group of a run.",
    .examples = {{{"drover signal nightly HUP", "Make a server read its configuration again."},
                  {"drover signal @last USR1", "Send USR1 to the newest run."}}},
    .options = {},
    .words_min = 2,
    .words_max = 2,
    .run = signal,
    .runs = Runs::active,
};

}  // namespace drover::cli
