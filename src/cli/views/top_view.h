// What `drover top` shows: the runs with one of them selected, or what one of them printed last.
// Pure: state and a size in, lines out, and keys change the state.
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
  std::string selected;  // A run's id; it stays selected wherever it moves.
  size_t first = 0;      // The first row that is shown.
  bool logs = false;     // What `selected` printed, instead of the runs.
  std::string log_text;
  bool asks = false;   // "Cancel it?"
  std::string notice;  // The last line, until the next key.
  bool away = false;   // The daemon is.
};

enum class TopAction : std::uint8_t { nothing, quit, cancel, look };  // look: at the logs.

// What a key changes, and what it asks for.
TopAction press(TopView& view, Key key, size_t rows);
// After `runs` has changed: the selected one may be gone.
void settle(TopView& view);
// At most `rows` lines of at most `columns`. `table` is that of view.runs, head first.
std::vector<std::string> draw(TopView& view, const std::string& table, const Screen& screen,
                              size_t columns, size_t rows);

// The last `rows` lines of what a program printed, none wider than `columns`, none of which can
// move the cursor.
std::vector<std::string> tail_lines(std::string_view text, size_t columns, size_t rows);

}  // namespace drover::cli
