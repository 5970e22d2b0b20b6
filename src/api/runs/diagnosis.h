// What a run that is under way is doing, or what it is stuck at, as evidence for `why`; and what
// it uses now, for `show`.
#pragma once

#include <boost/json/value.hpp>

#include "api/services.h"
#include "run/record.h"

namespace drover::api {

// Looks twice, a moment apart. Null: there is nothing to look at (yet, or any more).
asio::awaitable<boost::json::value> diagnose(const Services& services, run::Record record);

// {"processes","cpu_ms","rss_bytes","read_bytes","written_bytes"}, or null.
boost::json::value usage_now(const Services& services, const run::Record& record);

}  // namespace drover::api
