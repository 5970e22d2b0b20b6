#include "cli/help/hints.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "cli/parse.h"

namespace drover::cli {
namespace {

struct Hint {
  std::string_view word;
  std::string_view text;
};

// Commands of pueue, systemctl, docker, task-spooler and tmux, in their own words.
constexpr auto kCommands = std::to_array<Hint>({
    {"add", "`drover run -d -- COMMAND` queues one"},
    {"enqueue", "`drover run -d -- COMMAND` queues one"},
    {"submit", "`drover run -d -- COMMAND` queues one"},
    {"exec", "`drover run -- COMMAND` starts one"},
    {"start", "`drover run -- COMMAND` starts one, `drover lane resume LANE` goes on"},
    {"restart", "`drover retry RUN` runs it again"},
    {"follow", "`drover logs -f RUN` follows its output"},
    {"tail", "`drover logs -f -n 10 RUN` follows its output"},
    {"list", "`drover ps` lists the runs"},
    {"jobs", "`drover ps` lists the runs"},
    {"inspect", "`drover show RUN` tells what is known of it"},
    {"info", "`drover show RUN` tells what is known of it"},
    {"remove", "`drover rm RUN` removes an ended one, `drover cancel RUN` ends one"},
    {"delete", "`drover rm RUN` removes an ended one, `drover cancel RUN` ends one"},
    {"clean", "`drover rm RUN…` removes ended ones; old ones go by themselves"},
    {"pause", "`drover lane pause LANE` lets nothing more of it begin"},
    {"resume", "`drover lane resume LANE` goes on"},
    {"parallel", "`drover lane set LANE N` says how many go at once"},
    {"group", "a group is a lane here: `drover lane ls`"},
    {"queue", "a queue is a lane here: `drover lane ls`"},
    {"daemon", "the first command starts it; `drover serve` stays with it"},
    {"shutdown", "`drover stop` stops the daemon, its runs go on"},
});

// Of `run`, mostly: letters of xargs, parallel, docker and pueue.
constexpr auto kOptions = std::to_array<Hint>({
    {"-P", "with --each, -j N is how many go at once"},
    {"-p", "`drover lane set LANE N` is how many go at once; with --each -j N"},
    {"-n", "--each gives every run one input"},
    {"-g", "a group is a lane here: --lane LANE"},
    {"-a", "--after RUN waits for another"},
    {"-w", "--cwd FOLDER is where it runs"},
    {"-b", "-d leaves it to itself"},
    {"--background", "-d leaves it to itself"},
    {"--rm", "old runs go by themselves; `drover rm RUN` removes one at once"},
    {"--working-directory", "--cwd FOLDER is where it runs"},
    {"--workdir", "--cwd FOLDER is where it runs"},
    {"--group", "a group is a lane here: --lane LANE"},
    {"--tty", "-t gives it a terminal"},
});

// How many letters have to be changed, added, left out or swapped.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

template <size_t N>
std::string said_of(const std::array<Hint, N>& hints, std::string_view word) {
  const auto found = std::ranges::find(hints, word, &Hint::word);
  return found == hints.end() ? "" : std::string(found->text);
}

}  // namespace

std::string nearest(std::string_view typed, std::span<const std::string> known) {
  constexpr size_t kBytesMax = 32;  // What is longer is no slip.
  if (typed.empty() || typed.size() > kBytesMax) return "";
  std::string best;
  size_t least = typed.size() < 4 ? 2 : 3;  // Of a short word half would be another one.
  for (const std::string& one : known) {
    const bool begun = typed.size() > 2 && one.starts_with(typed);
    const size_t d = begun ? 1 : distance(typed, one);
    if (d >= least || d >= one.size()) continue;
    least = d;
    best = one;
  }
  return best;
}

std::string hint_for_command(std::span<const Command* const> commands, std::string_view typed) {
  if (std::string said = said_of(kCommands, typed); !said.empty()) return said;
  std::vector<std::string> names;
  for (const Command* command : commands) {
    if (command->hidden) continue;
    names.emplace_back(command->name.substr(0, command->name.find(' ')));
    if (!command->alias.empty()) names.emplace_back(command->alias);
  }
  const std::string best = nearest(typed, names);
  return best.empty() ? "" : "did you mean `drover " + best + "`?";
}

std::string hint_for_option(const Command* command, std::string_view typed) {
  const std::string name(typed.substr(0, typed.find('=')));
  const bool is_run = command != nullptr && command->name == "run";
  if (std::string said = is_run ? said_of(kOptions, name) : ""; !said.empty()) return said;
  if (!name.starts_with("--")) return "";
  std::vector<std::string> names;
  for (const std::span<const Option> list :
       {command != nullptr ? command->options : std::span<const Option>{}, global_options()}) {
    for (const Option& option : list) names.push_back("--" + std::string(option.name));
  }
  const std::string best = nearest(name, names);
  return best.empty() ? "" : "did you mean " + best + "?";
}

std::string hint_for_words(const Command& command) {
  if (command.name == "status") return "`drover show RUN` is about a run, `drover ps` about all";
  if (command.name == "stop") return "`drover cancel RUN` ends a run; this stops the daemon";
  return "";
}

}  // namespace drover::cli
