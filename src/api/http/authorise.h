// Who calls, and whether they may: asked once for each request, before its handler (DESIGN: doors).
// A token that is shown always counts, also on the unix socket, where without one the caller is the
// owner; over TCP there is a token, a session, or a refusal. Over TCP it is also asked by what name
// and from what page the call comes, so that no page of another site can call here through a
// browser (DNS rebinding, forged requests).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "access/grant.h"
#include "api/http/request.h"
#include "api/services.h"

namespace drover::api {

// `foreign_host`, `foreign_origin`: nothing else of the request counts.
Result<> check_names(const Request& request);

// `unauthorized`: no token, or none that is valid here.
Result<access::Grant> identify(const Services& services, const Request& request);
// What identifies the caller: a token or a session. Empty: none was shown; nothing: what was shown
// is of another kind.
std::optional<std::string_view> credential_in(const Request& request);

// The value of this door's session cookie; empty: none was sent.
std::string_view session_in(const Request& request);
// Cookies are shared between the ports of a host: each daemon has its own name.
std::string session_cookie_name(const DoorSign& door);

// Whether a client may call this door `host`, as in the header of that name. An address cannot be
// made to lead elsewhere, a name can: of those only localhost is ours. Behind TLS the certificate
// says so.
bool is_own_host(std::string_view host, bool secure);
// Whether a page of `origin` is one of the door that was called `host`.
bool is_own_origin(std::string_view origin, std::string_view host, bool secure);

}  // namespace drover::api
