// The environment of a trigger: the variables that `trigger add --env` and `--env-file` named, in a
// private file of the state directory, and nowhere else (R15). A trigger without variables has no
// file.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/home.h"
#include "base/result.h"

namespace drover::triggers {

using Variables = std::map<std::string, std::string>;

std::string triggers_directory(const Home& home);

// Replaces the file whole; without variables, removes it. Durable when it returns.
Result<> write_environment_file(const Home& home, std::string_view trigger,
                                const Variables& variables);
Result<Variables> read_environment_file(const Home& home, std::string_view trigger);

// Removes all files of a trigger that does not exist any more. A file that stays is private, and is
// removed or replaced with the next trigger of this name.
void remove_files(const Home& home, std::string_view trigger);

}  // namespace drover::triggers
