// Long polling: an answer is delayed until the run finishes, the time is over, the client is gone,
// or the caller's token becomes invalid.
#pragma once

#include "api/http/request.h"
#include "api/http/target.h"
#include "api/services.h"

namespace drover::api {

// The duration in `?wait=`; 0: do not wait.
Result<std::int64_t> wait_ms(const Query& query);

// `unauthorized` if the caller's token was revoked, has expired, or has ended with its run while
// the answer is delayed.
asio::awaitable<Result<>> check_credential(const Services& services, const Request& request);

// Waits until the run has finished, the time is over, or the client is gone; returns the run's
// record. If the caller's token becomes invalid, by revocation or because its run has finished,
// answers `unauthorized` at once.
asio::awaitable<Result<run::Record>> wait_for_end(Services& services, const Request& request,
                                                  Result<run::Record> record, std::int64_t ms);

}  // namespace drover::api
