// A Command describes one command of the command line: its name, its options and the function that
// runs it. The descriptions are constants. parse.cc uses them to turn argv into Arguments, so that
// no command has to include the parsing library.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::cli {

struct Context;

enum class Takes : std::uint8_t { nothing, text, many };  // many: may be repeated.

struct Option {
  std::string_view name;  // "detach": typed as --detach.
  char letter = 0;        // 'd': typed as -d.
  Takes takes = Takes::nothing;
  std::string_view value;  // The placeholder for its value in the help.
  std::string_view help;
  std::string_view field = {};  // Its name in the API: "limits.memory". Empty: not in the API.
  std::string_view group = {};  // The heading in the help, for commands with many options.
};

struct Example {
  std::string_view line;  // As typed in a shell: "drover run -- make test".
  std::string_view why;   // One sentence.
};

inline constexpr size_t kExamplesMax = 3;

// The groups of `drover --help`, in its order.
enum class Group : std::uint8_t { everyday, queue, projects, automation, daemon, access };

// The parsed words and options, checked against the description.
struct Arguments {
  std::map<std::string, std::vector<std::string>, std::less<>> options;
  std::vector<std::string> words;
  // How many of the words stand before "--"; empty: there is no "--", or the words after it belong
  // to another program.
  std::optional<size_t> words_before_dashes = {};

  bool has(std::string_view name) const { return options.contains(name); }
  std::optional<std::string> text(std::string_view name) const {
    const auto found = options.find(name);
    if (found == options.end() || found->second.empty()) return std::nullopt;
    return found->second.back();
  }
  std::vector<std::string> all(std::string_view name) const {
    const auto found = options.find(name);
    return found == options.end() ? std::vector<std::string>{} : found->second;
  }
};

// Whether a command may start a daemon if none answers.
enum class Daemon : std::uint8_t { start, never_start };

enum class Runs : std::uint8_t { any, active, ended };

inline constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

struct Candidate;
struct CompletionRequest;
struct Finding;

// Completes a word or value that the help calls `what` and that only the daemon knows. Completion
// itself knows runs and lanes (commands/completion.cc).
struct Offer {
  std::string_view what;
  void (*add)(Context& context, const CompletionRequest& wanted, std::vector<Candidate>& out);
};

struct Command {
  std::string_view name;   // "run", "lane set".
  std::string_view words;  // Its words in the usage line: "ID…".
  Group group = Group::automation;
  std::string_view summary = {};  // One line for lists: "Cancel runs".
  std::string_view help;          // Whole sentences; a blank line starts a paragraph.
  // For one command of a noun, such as "lane ls": the summary of the line in `drover --help` that
  // lists all commands of the noun. Empty: each command has its own line.
  std::string_view noun_summary = {};
  std::array<Example, kExamplesMax> examples = {};  // An example with an empty line is unused.
  std::span<const Option> options;
  size_t words_min = 0;
  size_t words_max = 0;
  // Options of the program that gets the words, for the help; we do not parse them.
  std::span<const Option> foreign_options = {};
  bool foreign_words = false;  // The first word and all words after it belong to another program.
  Daemon daemon = Daemon::start;
  // Returns the program's exit code, or an error that is printed and mapped to one (wire/errors.h).
  Result<int> (*run)(Context& context, const Arguments& arguments);
  std::string_view alias = {};
  bool hidden = false;    // For programs: not listed in the help or the manual.
  Runs runs = Runs::any;  // The runs that completion suggests for RUN.
  std::span<const Offer> offers = {};
  // A check of `drover doctor`, about the things of this command; null: none.
  std::vector<Finding> (*check)(Context& context, bool daemon_runs) = nullptr;
};

}  // namespace drover::cli
