// Completion is what could be typed next, found by the same descriptions that parsing and the help
// go by. Pure: what only the daemon knows (runs, lanes) is named as wanted and asked for elsewhere.
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
  // How the help calls what belongs here: RUN, LANE, FILE; or COMMAND, OPTION; PROGRAM and
  // ARGUMENT for the words of another program; empty for what nobody can know.
  std::string what;
  const Command* command = nullptr;  // If it is typed already.
  std::string group;                 // The first word of a command of two.
  std::string before;                // Stands before it in the same word: "--lane=".
  std::string typed;                 // Its beginning.
  bool asks_help = false;            // After `drover help`: topics belong here, too.
};

// What belongs in place of the last word, after the others.
CompletionRequest what_is_wanted(std::span<const Command* const> commands,
                                 std::span<const std::string> words);

// Those that need no daemon. FILE and DIR, PROGRAM and ARGUMENT are for the shell to find: a
// candidate ":files", ":directories", ":programs" tells it to.
std::vector<Candidate> candidates(std::span<const Command* const> commands,
                                  const CompletionRequest& wanted);

// The script for `shell`, or nothing if we do not know it.
std::string_view completion_script(std::string_view shell);

}  // namespace drover::cli
