#include "api/http/authorize.h"

#include <arpa/inet.h>

#include <algorithm>

#include "access/gate.h"
#include "access/seal.h"
#include "api/http/target.h"

namespace drover::api {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

// Without its port; empty if the port is not a number.
std::string_view without_port(std::string_view host) {
  const size_t bracket = host.rfind(']');
  const size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) {
    return host;
  }
  const std::string_view port = host.substr(colon + 1);
  const bool is_port = !port.empty() && port.size() <= 5 &&
                       std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
  return is_port ? host.substr(0, colon) : std::string_view();
}

bool is_address(std::string_view host) {
  unsigned char bytes[16];
  if (host.starts_with('[') && host.ends_with(']')) {
    const std::string inner(host.substr(1, host.size() - 2));
    return ::inet_pton(AF_INET6, inner.c_str(), bytes) == 1;
  }
  return ::inet_pton(AF_INET, std::string(host).c_str(), bytes) == 1;
}

std::unexpected<Error> foreign_page() {
  return fail(ErrorCode::invalid, "foreign_origin",
              "a page of another site may not call this daemon", "Origin");
}

}  // namespace

bool is_own_host(std::string_view host, bool secure) {
  const std::string_view name = without_port(host);
  if (name.empty()) return false;
  return secure || same_word(name, "localhost") || is_address(name);
}

bool is_own_origin(std::string_view origin, std::string_view host, bool secure) {
  const std::string_view scheme = secure ? "https://" : "http://";
  return origin.size() > scheme.size() && same_word(origin.substr(0, scheme.size()), scheme) &&
         same_word(origin.substr(scheme.size()), host);
}

Result<> check_names(const Request& request) {
  if (!request.door.tcp) return {};
  // A proxy, or a program that obeys the standard, believes the host of an absolute target.
  const auto named = authority_of(request.target);
  if (!is_own_host(request.host, request.door.secure) ||
      (named && !same_word(*named, request.host))) {
    return fail(ErrorCode::invalid, "foreign_host",
                "unknown Host: call this daemon by its address or as localhost", "Host");
  }
  if (!request.origin.empty() &&
      !is_own_origin(request.origin, request.host, request.door.secure)) {
    return foreign_page();
  }
  return {};
}

std::string session_cookie_name(const DoorSign& door) {
  return (door.secure ? "__Host-drover_session_" : "drover_session_") + std::to_string(door.port);
}

bool is_of_session(const Services& services, const Request& request, const access::Grant& session) {
  if (!same_word(session.session_host, request.host)) return false;
  return request.door.secure ||
         access::same_secret(request.page_key, services.gate.page_key_of(session.token_id));
}

std::string_view session_in(const Request& request) {
  const std::string name = session_cookie_name(request.door);
  std::string_view rest = request.cookie;
  while (!rest.empty()) {
    std::string_view pair = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    while (pair.ends_with(' ')) pair.remove_suffix(1);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
      return pair.substr(name.size() + 1);
    }
  }
  return {};
}

std::optional<std::string_view> credential_in(const Request& request) {
  if (!request.authorization) return request.door.tcp ? session_in(request) : std::string_view();
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view text = *request.authorization;
  if (text.size() <= kScheme.size() || !same_word(text.substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  return text.substr(kScheme.size());
}

asio::awaitable<Result<access::Grant>> identify(const Services& services, const Request& request) {
  const auto credential = credential_in(request);
  if (!credential) co_return access::unauthorized();
  if (credential->empty() && !request.door.tcp) co_return access::owner_grant();
  // For a browser, another port of this host is the same site: it sends our cookie along, and no
  // Origin with a GET.
  const bool from_elsewhere =
      request.fetch_site == "cross-site" || request.fetch_site == "same-site";
  if (!request.authorization && from_elsewhere) co_return foreign_page();
  auto grant = co_await services.gate.identify(std::string(*credential));
  if (!grant) co_return grant;
  // A cookie may contain only a browser session, and a session is not a token.
  const bool is_session = !grant->session_host.empty();
  if (is_session != !request.authorization) co_return access::unauthorized();
  if (is_session && !is_of_session(services, request, *grant)) co_return access::unauthorized();
  co_return grant;
}

}  // namespace drover::api
