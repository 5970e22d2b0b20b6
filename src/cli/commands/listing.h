// A Listing is which runs a command is about: the filters that `ps`, `export` and `top` share.
#pragma once

#include <boost/json/array.hpp>

#include "cli/client/address.h"
#include "cli/command.h"

namespace drover::cli {

struct Listing {
  Pairs query;  // For GET /api/runs.
  size_t limit = 0;
};

// Reads --state, --lane, --scope, --label and --limit, where the command has them.
Result<Listing> read_listing(const Arguments& arguments, size_t default_limit);

// An option that says how many, from 1 on. Nothing: it was not typed.
Result<std::optional<size_t>> count_of(const Arguments& arguments, std::string_view option);

// All that have not ended, newest first.
Result<boost::json::array> active_runs(Context& context);

// Those that go on, then the latest that have ended: what `ps` shows unasked.
Result<boost::json::array> current_runs(Context& context, const Listing& listing);

}  // namespace drover::cli
