// Holding an answer: a long poll that ends with the run that is asked about, with the time that was
// given, with the caller, or with the token that it showed.
#pragma once

#include "api/http/request.h"
#include "api/http/target.h"
#include "api/services.h"

namespace drover::api {

// How long `?wait=` asks for; 0: not at all.
Result<std::int64_t> wait_ms(const Query& query);

// Holds `record` until the run has ended, the time is over, or nobody waits any more. Whose token
// has ended meanwhile, by a revocation or with its run, is told `unauthorized`, at once.
asio::awaitable<Result<run::Record>> wait_for_end(Services& services, const Request& request,
                                                  Result<run::Record> record, std::int64_t ms);

}  // namespace drover::api
