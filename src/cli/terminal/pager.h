// A pager shows a page that is longer than the terminal: $PAGER, or less. As in git, it is used
// only if standard output is a terminal; never in a run, whose terminal nobody may watch, and not
// if PAGER is empty or `cat`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

// The terminal and the settings that decide about a pager.
struct PagerSetting {
  bool is_terminal = false;  // Standard output.
  size_t rows = 0;           // Of it; 0: unknown.
  bool in_run = false;
  bool is_dumb = false;    // TERM is dumb, or not set.
  std::string pager = {};  // $PAGER; `less` if it is not set and is installed.
};

// Pure. The last row is for the prompt of the shell.
bool needs_pager(std::string_view page, const PagerSetting& setting);

// Prints the page, or waits until the user has left the pager. If the pager cannot be started, the
// page is printed.
Result<> print_page(Screen& screen, const std::string& page);

}  // namespace drover::cli
