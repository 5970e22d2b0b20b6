// The diagnosis of a running run as JSON: for `why`, what it is doing or stuck at; for `show`, the
// resources that it uses now.
#pragma once

#include <boost/json/value.hpp>

#include "api/services.h"
#include "run/record.h"

namespace drover::api {

// Takes two snapshots, a moment apart. Null: it has no processes (yet, or any more).
asio::awaitable<boost::json::value> diagnose(const Services& services, run::Record record);

// {"processes","cpu_ms","rss_bytes","read_bytes","written_bytes"}, or null.
boost::json::value usage_now(const Services& services, const run::Record& record);

// The values of the run's environment that must not be shown.
run::Secrets secrets_of(const Services& services, const RunId& id);

}  // namespace drover::api
