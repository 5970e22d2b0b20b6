// A Request is what a client asks, taken apart: handlers see this and never the library that read
// it from the wire. The views point into the connection's buffers and hold until the answer is
// written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/caller.h"

namespace drover::api {

struct Request {
  Caller& caller;
  std::string_view id;  // Goes back in X-Request-Id and in every error.
  std::string_view method;
  std::string_view target;  // As sent: path and query.
  std::string_view content_type;
  std::string_view accept;
  std::string_view last_event_id;
  std::optional<std::string_view> idempotency_key;
  std::string_view range = {};        // Of bytes; of a log.
  std::string_view traceparent = {};  // Whose trace the run goes on (W3C).
  std::string body;

  // Filled in by the routes.
  std::string subject;  // What stands in the path for {id} or {lane}, decoded.
  std::vector<std::pair<std::string, std::string>> query;  // Decoded; only known names.
};

}  // namespace drover::api
