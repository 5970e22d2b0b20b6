// Watching is a page that is drawn again, in its place, whenever something happens to a run, and
// once a second for what grows by itself. For people: it needs a terminal.
#pragma once

#include <functional>
#include <string>

#include "cli/context.h"

namespace drover::cli {

// Until Ctrl-C. `page` makes the text anew, no wider than the screen.
Result<int> watch(Context& context, const std::function<Result<std::string>()>& page);

// The first lines that fit into so many rows; the last one says how many do not.
std::string fit_rows(const std::string& text, size_t rows);

}  // namespace drover::cli
