// The diagnosis of a running run as JSON: for `why`, what it is doing or stuck at; for `show`, the
// resources that it uses now.
#pragma once

#include <boost/json/value.hpp>

#include "api/http/request.h"
#include "api/services.h"
#include "run/record.h"

namespace drover::api {

// Takes two snapshots, a moment apart. Null: it has no processes (yet, or any more).
asio::awaitable<Result<boost::json::value>> diagnose(Services& services, const Request& request,
                                                     run::Record record);

// {"processes","cpu_ms","rss_bytes","read_bytes","written_bytes"}, or null.
asio::awaitable<Result<boost::json::value>> usage_now(Services& services, const Request& request,
                                                      run::Record record);

// The values of the run's environment that must not be shown.
run::Secrets secrets_of(const Home& home, const RunId& id);

}  // namespace drover::api
