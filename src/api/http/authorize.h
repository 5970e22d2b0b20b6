// Authenticates the caller of a request and checks its permission, before the handler runs. A token
// always counts; on the unix socket a caller without one is the owner; over TCP it must have a
// token in Authorization or a browser session in a cookie, and neither in the other place. Over
// TCP, the Host and Origin headers are checked too, so that a page of another site cannot call this
// API through a browser (DNS rebinding, forged requests).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "access/grant.h"
#include "api/http/request.h"
#include "api/services.h"

namespace drover::api {

// `foreign_host` or `foreign_origin`: the rest of the request is ignored.
Result<> check_names(const Request& request);

// `unauthorized`: no token, or an invalid one.
asio::awaitable<Result<access::Grant>> identify(const Services& services, const Request& request);
// The token or browser session in the request. An empty text: none was sent. Empty: it is of an
// unknown kind.
std::optional<std::string_view> credential_in(const Request& request);

// The value of this listener's session cookie; empty: none was sent.
std::string_view session_in(const Request& request);
// A host's ports share their cookies, so each daemon has a cookie name of its own. Behind TLS the
// browser keeps the cookie to this host (__Host-); without, a server on another port of this host
// gets it, too, so it is worth nothing without the page's key.
std::string session_cookie_name(const DoorSign& door);
// Whether the request comes from the page that this browser session was opened for.
bool is_of_session(const Services& services, const Request& request, const access::Grant& session);

// Whether `host`, the value of a Host header, may name this listener. A numeric address cannot be
// redirected, but a name can: the only accepted name is localhost. Behind TLS, the certificate
// protects the name.
bool is_own_host(std::string_view host, bool secure);
// Whether a page of `origin` was served by the listener that the client calls `host`.
bool is_own_origin(std::string_view origin, std::string_view host, bool secure);

}  // namespace drover::api
