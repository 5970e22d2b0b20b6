#include "api/routes.h"

#include <algorithm>

#include "api/http/authorize.h"
#include "api/http/target.h"
#include "api/runs/refused_requests.h"

namespace drover::api {
namespace {

// Whether `path` matches the operation's pattern; sets `subject` to the segment for its {…}, or to
// the rest of the path.
bool fits(const wire::Operation& operation, std::string_view path, std::string_view& subject) {
  std::string_view form = operation.path;
  while (!form.empty() && !path.empty()) {
    if (form.front() != '/' || path.front() != '/') return false;
    const std::string_view want = form.substr(1, form.find('/', 1) - 1);
    const std::string_view have = path.substr(1, path.find('/', 1) - 1);
    if (want.starts_with('{') && operation.takes_rest) {
      subject = path.substr(1);
      return true;
    }
    form.remove_prefix(std::min(form.size(), want.size() + 1));
    path.remove_prefix(std::min(path.size(), have.size() + 1));
    if (want.starts_with('{')) {
      subject = have;
    } else if (want != have) {
      return false;
    }
  }
  return form.empty() && path.empty();
}

Result<> check_query(const wire::Operation& operation, const Query& query) {
  for (const auto& [name, value] : query) {
    const bool known = std::ranges::any_of(
        operation.query, [&](const wire::Parameter& parameter) { return parameter.name == name; });
    if (known) continue;
    std::string names;
    for (const wire::Parameter& parameter : operation.query) {
      names.append(names.empty() ? "; it takes " : ", ").append(parameter.name);
    }
    return fail(ErrorCode::invalid, "unknown_parameter",
                std::string(operation.name) + " does not have this parameter" + names, name);
  }
  return {};
}

bool is_media(std::string_view content_type, std::string_view want) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return std::ranges::equal(
      type, want, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

// A page of another origin can send a form without a preflight, but not these content types.
bool takes(wire::Body body, std::string_view content_type) {
  switch (body) {
    case wire::Body::none:
      return true;
    case wire::Body::json:
      return is_media(content_type, "application/json");
    case wire::Body::bytes:
      return is_media(content_type, "application/octet-stream") ||
             is_media(content_type, "text/plain");
    case wire::Body::any:
      return true;
  }
  std::unreachable();
}

Response no_such_route(const Request& request) {
  return refuse({ErrorCode::not_found, "route_not_found",
                 "unknown path; GET /openapi.json lists the paths", "path"},
                request.id);
}

Response wrong_method(const Request& request, const std::string& allow) {
  Response response = refuse(
      {ErrorCode::invalid, "method_not_allowed", "this path answers " + allow + " only", "method"},
      request.id);
  response.headers.emplace_back("Allow", allow);
  return response;
}

Response wrong_media(const Request& request, wire::Body body) {
  return refuse(
      {ErrorCode::invalid, "unsupported_media_type",
       body == wire::Body::json ? "send JSON, with Content-Type: application/json"
                                : "send bytes, with Content-Type: application/octet-stream",
       "Content-Type"},
      request.id);
}

// "stop the daemon": the help of the operation, within a sentence.
std::string deed(const wire::Operation& operation) {
  std::string out(operation.help.substr(0, operation.help.find(';')));
  if (!out.empty() && out.front() >= 'A' && out.front() <= 'Z') {
    out.front() = static_cast<char>(out.front() + ('a' - 'A'));
  }
  return out;
}

std::string why_not(const wire::Operation& operation) {
  switch (operation.can) {
    case wire::Permission::own:
      return "only the owner may " + deed(operation) + "; this token is not the owner's";
    case wire::Permission::read_all:
      return "this token may not " + deed(operation) +
             ": only the owner and tokens that can read in every scope may";
    default: {
      access::Rights needed;
      needed.add(operation.can);
      return "this token may not " + deed(operation) + ": it was created without --can " +
             access::text_of(needed);
    }
  }
}

// Authenticates the caller, and checks its permission for this operation.
asio::awaitable<Result<>> authorize(const Services& services, const Route& route,
                                    Request& request) {
  request.grant = {.is_owner = false};
  const wire::Permission need = route.operation->can;
  if (need == wire::Permission::anyone) co_return Result<>{};
  auto grant = co_await identify(services, request);
  if (!grant) co_return std::unexpected(grant.error());
  request.grant = std::move(*grant);
  request.credential = credential_in(request).value_or("");
  if (access::may(request.grant, need) != access::Verdict::yes) {
    co_return fail(ErrorCode::invalid, "forbidden", why_not(*route.operation), "Authorization");
  }
  co_return Result<>{};
}

// If the route has this path, notes its method, and the route itself if the method matches.
void consider(const Route& route, std::string_view wanted, std::string_view path, Match& found) {
  const wire::Operation& operation = *route.operation;
  std::string_view subject;
  if (!fits(operation, path, subject)) return;
  found.allow.append(found.allow.empty() ? "" : ", ").append(operation.method);
  if (operation.method == "GET") found.allow += ", HEAD";
  if (operation.method != wanted) return;
  found.route = &route;
  if (operation.takes_rest) {
    found.subject = subject;
    return;
  }
  // A subject with an invalid escape is treated as a name that no run has (H5).
  auto decoded = decode(subject, false);
  found.subject = decoded ? std::move(*decoded) : std::string(subject);
}

}  // namespace

Match match(std::span<const RouteGroup> groups, std::string_view method, std::string_view path) {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  Match found;
  for (const RouteGroup& group : groups) {
    for (const Route& route : group.routes) consider(route, wanted, path, found);
  }
  if (!found.allow.empty()) found.allow += ", OPTIONS";
  return found;
}

const Route* route_for_anyone(const Services& services, Request& request) {
  Match found = match(services.routes, request.method, path_of(request.target));
  if (found.route == nullptr || found.route->operation->can != wire::Permission::anyone) {
    return nullptr;
  }
  request.subject = std::move(found.subject);
  return found.route;
}

asio::awaitable<Response> answer(Services& services, Request& request) {
  services.loop_delay.probe(services.loop);
  // Before anything can refuse the request: requests pipelined behind a refused one are dropped
  // too. A query that cannot be parsed may have contained `ahead`.
  auto query = query_of(request.target);
  request.closes_connection =
      !query || std::ranges::any_of(*query, [](const auto& pair) { return pair.first == "ahead"; });
  if (auto ok = check_names(request); !ok) co_return refuse(ok.error(), request.id);
  Match found = match(services.routes, request.method, path_of(request.target));
  if (found.allow.empty()) co_return no_such_route(request);
  if (request.method == "OPTIONS") {
    Response response;
    response.status = 204;
    response.headers.emplace_back("Allow", std::move(found.allow));
    co_return response;
  }
  if (found.route == nullptr) co_return wrong_method(request, found.allow);
  const wire::Operation& operation = *found.route->operation;
  request.subject = std::move(found.subject);
  if (auto ok = co_await authorize(services, *found.route, request); !ok) {
    if (ok.error().reason == "forbidden") count_forbidden(services, operation);
    co_return refuse(ok.error(), request.id);
  }
  const bool sees_all = request.grant.is_owner || operation.can == wire::Permission::anyone;
  if (!sees_all && found.route->check_subject != nullptr) {
    if (auto ok = co_await found.route->check_subject(services, request); !ok) {
      co_return refuse(ok.error(), request.id);
    }
  }
  if (!query) co_return refuse(query.error(), request.id);
  request.query = std::move(*query);
  if (auto ok = check_query(operation, request.query); !ok) {
    co_return refuse(ok.error(), request.id);
  }
  if (operation.body_bytes_max != 0 && request.body.size() > operation.body_bytes_max) {
    co_return refuse({ErrorCode::exhausted, "body_too_large",
                      "the body of the request is too large: the maximum is " +
                          std::to_string(operation.body_bytes_max) + " bytes",
                      "body"},
                     request.id);
  }
  if (!request.body.empty() && !takes(operation.body, request.content_type)) {
    co_return wrong_media(request, operation.body);
  }
  Result<Response> response = co_await found.route->handler(services, request);
  if (!response) co_return refuse(response.error(), request.id);
  if (response->stream) {
    auto admitted = services.streams->admit(request.grant, std::move(response->stream));
    if (!admitted) co_return refuse(admitted.error(), request.id);
    response->stream = std::move(*admitted);
  }
  // The answer may have taken long. If the caller's token was revoked in the meantime, refuse it.
  if (operation.can == wire::Permission::read && !request.grant.token_id.empty()) {
    if (auto still = co_await identify(services, request); !still)
      co_return refuse(still.error(), request.id);
  }
  co_return std::move(*response);
}

}  // namespace drover::api
