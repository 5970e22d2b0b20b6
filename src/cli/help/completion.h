// Completion finds the words that could be typed next, from the same descriptions as parsing and
// the help. Pure: for values that only the daemon knows (runs, lanes), it returns their kind, and
// the caller asks for them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace drover::cli {

struct Candidate {
  std::string text;
  std::string help;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

struct CompletionRequest {
  // The placeholder in the help: RUN, LANE, FILE; or COMMAND, OPTION; PROGRAM and ARGUMENT for the
  // words of another program; empty if nothing can be suggested.
  std::string what;
  const Command* command = nullptr;  // Null: not typed yet.
  std::string group;                 // The first word of a command of two words.
  std::string before;                // The text before it in the same word: "--lane=".
  std::string typed;                 // The part that is typed already.
  bool asks_help = false;            // After `drover help`: also suggest topics.
};

// Suggestions for the last of `words`, given the words before it.
CompletionRequest what_is_wanted(std::span<const Command* const> commands,
                                 std::span<const std::string> words);

// The candidates that need no daemon. For FILE, DIR, PROGRAM and ARGUMENT, a candidate ":files",
// ":directories" or ":programs" tells the shell to find them.
std::vector<Candidate> candidates(std::span<const Command* const> commands,
                                  const CompletionRequest& wanted);

// The completion script for `shell`; empty: unknown shell.
std::string_view completion_script(std::string_view shell);

}  // namespace drover::cli
