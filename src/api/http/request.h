// A Request is what a client asks, taken apart: handlers see this and never the library that read
// it from the wire. The views point into the connection's buffers and hold until the answer is
// written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "access/grant.h"
#include "api/http/caller.h"

namespace drover::api {

// What is known of the door a request came through. The unix socket has neither.
struct DoorSign {
  bool tcp = false;
  bool secure = false;  // Behind TLS.
  std::uint16_t port = 0;
};

struct Request {
  Caller& caller;
  DoorSign door;
  std::string_view id;  // Goes back in X-Request-Id and in every error.
  std::string_view method;
  std::string_view target;  // As sent: path and query.
  std::string_view content_type;
  std::string_view accept;
  std::string_view last_event_id;
  std::optional<std::string_view> idempotency_key;
  std::string_view range = {};        // Of bytes; of a log.
  std::string_view traceparent = {};  // Whose trace the run goes on (W3C).
  std::optional<std::string_view> authorization;
  std::string_view cookie;
  std::string_view host;
  std::string_view origin;
  std::string_view fetch_site = {};  // What a browser says of the page that asks (Sec-Fetch-Site).
  std::string body;

  // Filled in by the routes.
  access::Grant grant;
  std::string_view credential = {};  // The token or session it was given for; empty: the socket.
  std::string subject;               // What stands in the path for its {…}, decoded.
  std::vector<std::pair<std::string, std::string>> query;  // Decoded; only known names.
  // The answer is the connection's last, and what was sent behind this request is dropped. Here and
  // not in the Response, as it holds for every refusal on the way too. Set for whoever says
  // `ahead`, until the handler finds that the run has ended.
  bool closes_connection = false;
};

}  // namespace drover::api
