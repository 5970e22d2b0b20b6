// What a run that is under way is doing, or what it is stuck at, as evidence for `why`; and what
// it uses now, for `show`.
#pragma once

#include <boost/json/value.hpp>

#include "api/backing.h"
#include "run/record.h"

namespace drover::api {

// Looks twice, a moment apart. Null: there is nothing to look at (yet, or any more).
asio::awaitable<boost::json::value> diagnose(const Backing& backing, run::Record record);

// {"processes","cpu_ms","rss_bytes","read_bytes","written_bytes"}, or null.
boost::json::value usage_now(const Backing& backing, const run::Record& record);

}  // namespace drover::api
