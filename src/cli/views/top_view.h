// The state of `drover top`: the runs with one of them selected, or the last output of one of them.
// Pure: state and a size in, lines out; keys change the state.
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/terminal/keys.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

struct TopView {
  boost::json::array runs;
  std::string selected;  // A run's id; it stays selected when its row moves.
  size_t first = 0;      // The first row that is shown.
  bool logs = false;     // Show the output of `selected` instead of the runs.
  std::string log_text;
  // How many of the last lines of `log_text` are scrolled out of view; 0: the view follows the
  // output.
  size_t log_up = 0;
  bool asks = false;   // The question "Cancel it?" is shown.
  std::string notice;  // Shown in the last line until the next key.
  bool away = false;   // The daemon is away.
};

enum class TopAction : std::uint8_t { nothing, quit, cancel, look };  // look: read the output.

// Changes the state for a key, and returns the action to take.
TopAction press(TopView& view, Key key, size_t rows);
// Call after `runs` has changed: the selected run may be gone.
void settle(TopView& view);
// At most `rows` lines of at most `columns`. `table` shows view.runs, header first.
std::vector<std::string> draw(TopView& view, const std::string& table, const Screen& screen,
                              size_t columns, size_t rows);

// The last `rows` lines of a program's output, none wider than `columns`, without escape sequences.
// If `up` is not null, the rows end that many lines earlier; it is lowered to what the text has.
std::vector<std::string> tail_lines(std::string_view text, size_t columns, size_t rows,
                                    size_t* up = nullptr);

}  // namespace drover::cli
