// A Request is a client's request after parsing; handlers see this and never the HTTP library. Its
// views point into the connection's buffers and are valid until the answer is written.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "access/grant.h"
#include "api/http/request_client.h"

namespace drover::api {

// The listener that a request came through. The unix socket has the default values.
struct DoorSign {
  bool tcp = false;
  bool secure = false;  // Behind TLS.
  std::uint16_t port = 0;
};

struct Request {
  RequestClient& client;
  DoorSign door;
  std::string_view id;  // Repeated in X-Request-Id and in every error.
  std::string_view method;
  std::string_view target;  // As sent: path and query.
  std::string_view content_type;
  std::string_view accept;
  std::string_view last_event_id;
  std::optional<std::string_view> idempotency_key;
  std::string_view range = {};        // The Range header: bytes of a run's output.
  std::string_view traceparent = {};  // The W3C trace that the run continues.
  std::optional<std::string_view> authorization;
  std::string_view cookie;
  std::string_view host;
  std::string_view origin;
  // The browser's statement about the calling page (Sec-Fetch-Site).
  std::string_view fetch_site = {};
  std::string_view page_key = {};  // The second secret of a browser session (Drover-Page-Key).
  // Every value of a header, in the order of the request; the name may have any case.
  std::function<std::vector<std::string_view>(std::string_view name)> headers = {};
  std::string body;

  // Set by the routes.
  access::Grant grant;
  // The token or session behind the grant; empty: the unix socket.
  std::string_view credential = {};
  std::string subject;                                     // The value of the path's {…}, decoded.
  std::vector<std::pair<std::string, std::string>> query;  // Decoded; only known names.
  // This answer is the connection's last, and pipelined requests behind this one are dropped. It is
  // in the Request because it also applies to refusals before the handler. Set for a request with
  // `ahead`, until the handler finds that the run has finished.
  bool closes_connection = false;
};

}  // namespace drover::api
