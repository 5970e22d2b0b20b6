// A Command is one verb of the command line, described by itself: its name, its options and the
// function that does it. The descriptions are constants; parse.cc turns what was typed into
// Arguments with them, so that no command has to include the parsing library.
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
  std::string_view value;  // What its value is called in the help.
  std::string_view help;
  std::string_view field = {};  // What the API calls it: "limits.memory". Empty: it is ours alone.
  std::string_view group = {};  // The heading in the help, for commands with many options.
};

struct Example {
  std::string_view line;  // As typed in a shell: "drover run -- make test".
  std::string_view why;   // One sentence.
};

inline constexpr size_t kExamplesMax = 3;

// The groups of `drover --help`, in its order.
enum class Group : std::uint8_t { everyday, queue, projects, automation, daemon, access };

// What was typed, checked against the description.
struct Arguments {
  std::map<std::string, std::vector<std::string>, std::less<>> options;
  std::vector<std::string> words;

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

// Whether a command may bring up a daemon when none answers.
enum class Daemon : std::uint8_t { start, never_start };

enum class Runs : std::uint8_t { any, active, ended };

inline constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

struct Candidate;
struct CompletionRequest;

// What completes a word or value that the help calls `what`, where only the daemon knows it. Runs
// and lanes are known to completion itself (commands/completion.cc).
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
  // Of one command of a noun, such as "lane ls": the text of the line that stands for all commands
  // of the noun in `drover --help`. Empty: each has a line of its own.
  std::string_view noun_summary = {};
  std::array<Example, kExamplesMax> examples = {};  // One without a line is not there.
  std::span<const Option> options;
  size_t words_min = 0;
  size_t words_max = 0;
  bool foreign_words = false;  // The first word and all that follows belong to another program.
  Daemon daemon = Daemon::start;
  // The program's exit code, or an error that is explained and mapped to one (wire/errors.h).
  Result<int> (*run)(Context& context, const Arguments& arguments);
  std::string_view alias = {};
  bool hidden = false;    // For programs: in no list and no manual.
  Runs runs = Runs::any;  // Which ones it is for: those are offered for RUN.
  std::span<const Offer> offers = {};
};

}  // namespace drover::cli
