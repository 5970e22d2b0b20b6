// Reads a submission from a request's body. An invalid request is refused here and creates no run;
// a valid one that cannot work on this machine is acknowledged and fails later (H6).
#pragma once

#include <optional>
#include <string_view>

#include "api/http/request.h"
#include "api/services.h"
#include "dispatch/dispatcher.h"

namespace drover::api {

asio::awaitable<Result<dispatch::Submission>> read_submission(Services& services,
                                                              const Request& request);

// The same for another attempt at the run `id` of that scope: its environment, and nothing else.
Result<dispatch::RetryRequest> read_retry(const RunId& id, std::string_view body,
                                          std::optional<std::string_view> key,
                                          const Services& services, const access::Grant& grant,
                                          std::string scope);

// The Idempotency-Key of a request and the digest of its body; empty if it has no such header.
Result<dispatch::IdempotencyKey> read_key(std::string_view body,
                                          std::optional<std::string_view> key);

// The environment of a composite's children; the body may contain nothing else.
Result<std::vector<std::string>> read_environment(std::string_view body, const Services& services);

}  // namespace drover::api
