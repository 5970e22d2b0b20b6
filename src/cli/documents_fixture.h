// Finds the commands in a document, to test that every `drover …` line in it is valid.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drover::cli {

using Words = std::vector<std::string>;

// The simple commands of a shell script, each split into its words: those on both sides of a pipe,
// in lists, and in $(…) and <(…). Quotes are removed, nothing is expanded; a substitution inside a
// word stands as `$()`. Redirections and comments are dropped. Here-documents are not understood.
std::vector<Words> shell_commands(std::string_view script);

// The arguments of every `drover` command in the ```sh blocks of a Markdown text, and after `$ ` in
// its ```console blocks.
std::vector<Words> drover_lines(std::string_view markdown);

}  // namespace drover::cli
