// A submission as a request's body asks for it. What is malformed in itself is refused here and
// makes no run; what the state of the world defeats is acknowledged and fails later (H6).
#pragma once

#include <optional>
#include <string_view>

#include "api/services.h"
#include "dispatch/dispatcher.h"

namespace drover::api {

Result<dispatch::Submission> read_submission(std::string_view body,
                                             std::optional<std::string_view> key,
                                             const Services& services, const access::Grant& grant);

// The same for another attempt at the run `id`: its environment, and nothing else.
Result<dispatch::RetryRequest> read_retry(const RunId& id, std::string_view body,
                                          std::optional<std::string_view> key,
                                          const Services& services);

// The Idempotency-Key of a request and the digest of its body; empty if it has no such header.
Result<dispatch::IdempotencyKey> read_key(std::string_view body,
                                          std::optional<std::string_view> key);

// For a composite: what the commands of its children will see, and nothing else can be asked for.
Result<std::vector<std::string>> read_environment(std::string_view body, const Services& services);

}  // namespace drover::api
