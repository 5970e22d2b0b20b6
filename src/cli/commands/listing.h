// A Listing selects runs: the filters that `ps`, `export` and `top` share.
#pragma once

#include <boost/json/array.hpp>

#include "cli/client/address.h"
#include "cli/command.h"

namespace drover::cli {

struct Listing {
  Pairs query;  // For GET /api/runs.
  size_t limit = 0;
};

// Reads --state, --lane, --scope, --label and --limit, as far as the command has them.
Result<Listing> read_listing(const Arguments& arguments, size_t default_limit);

// Reads an option that is a count of at least 1. Empty: not given.
Result<std::optional<size_t>> count_of(const Arguments& arguments, std::string_view option);

// All active runs, newest first.
Result<boost::json::array> active_runs(Context& context);

// Active runs first, then at most `finished_max` recently finished ones.
Result<boost::json::array> current_runs(Context& context, const Listing& listing,
                                        size_t finished_max);

}  // namespace drover::cli
