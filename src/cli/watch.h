// Redraws a page in place whenever an event of a run arrives, and once a second for ages and
// counts. For people: it needs a terminal.
#pragma once

#include <functional>
#include <string>

#include "cli/context.h"

namespace drover::cli {

// Runs until Ctrl-C. `page` returns the current text, no wider than the screen.
Result<int> watch(Context& context, const std::function<Result<std::string>()>& page);

// The first lines that fit into `rows`; the last line says how many are left out.
std::string fit_rows(const std::string& text, size_t rows);

}  // namespace drover::cli
