#include "api/daemon/tokens.h"

#include <boost/json/array.hpp>

#include "access/gate.h"
#include "api/http/authorize.h"
#include "api/http/target.h"
#include "base/text.h"
#include "requests/fields.h"
#include "run/spec.h"

namespace drover::api {
namespace {

namespace json = boost::json;

json::object describe(const access::Token& token, WallMs now) {
  const std::string_view state = token.revoked_at != 0     ? "revoked"
                                 : token.expires_at <= now ? "expired"
                                                           : "valid";
  return {{"token_id", token.id},
          {"kind", token.id.starts_with("ses_") ? "session" : "token"},
          {"label", token.label},
          {"scope", token.scope.empty() ? json::value(nullptr) : json::value(token.scope)},
          {"can", token.can},
          {"state", state},
          {"created_at", rfc3339(token.created_at)},
          {"expires_at", rfc3339(token.expires_at)},
          {"revoked_at",
           token.revoked_at == 0 ? json::value(nullptr) : json::value(rfc3339(token.revoked_at))}};
}

// Rights as a list of texts, or as one text with commas.
void read_rights(requests::Fields& fields, access::Rights& rights) {
  std::string text = "read";
  if (const json::value* given = fields.take("can")) {
    text.clear();
    if (given->is_string()) {
      text = given->get_string();
    } else if (given->is_array()) {
      for (const json::value& one : given->get_array()) {
        text.append(text.empty() ? "" : ",");
        text += one.is_string() ? std::string_view(one.get_string()) : "?";
      }
    }
  }
  auto read = access::parse_rights(text);
  if (!read) return fields.refuse(std::move(read.error()));
  rights = *read;
}

Result<access::Gate::TokenRequest> read_token_request(std::string_view body) {
  access::Gate::TokenRequest wanted;
  wanted.ttl_ms = limits::kTokenTtlMs;
  requests::Fields fields(body);
  fields.text("label", wanted.label);
  fields.text("scope", wanted.scope);
  fields.duration_ms("ttl", wanted.ttl_ms);
  const bool scoped = fields.has("scope");
  read_rights(fields, wanted.rights);
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  if (scoped) {
    if (auto ok = run::validate_scope(wanted.scope); !ok) return std::unexpected(ok.error());
  }
  if (wanted.ttl_ms < 1 || wanted.ttl_ms > limits::kTokenTtlMaxMs) {
    return fail_invalid("ttl", "ttl must be longer than 0 and at most 366d");
  }
  if (wanted.label.size() > limits::kNameBytesMax || !is_utf8(wanted.label)) {
    return fail_invalid("label", "label must be UTF-8 text of at most " +
                                     std::to_string(limits::kNameBytesMax) + " bytes");
  }
  return wanted;
}

// The cookie is not readable by the page's scripts, not sent by other sites, and never cached.
std::string cookie(const Request& request, std::string_view value, std::int64_t seconds) {
  std::string out = session_cookie_name(request.door);
  out.append("=").append(value).append("; Path=/; HttpOnly; SameSite=Strict; Max-Age=");
  out += std::to_string(seconds);
  if (request.door.secure) out += "; Secure";
  return out;
}

}  // namespace

asio::awaitable<Result<Response>> create_token(Services& services, Request& request) {
  auto wanted = read_token_request(request.body);
  if (!wanted) co_return std::unexpected(wanted.error());
  auto issued = co_await services.gate.issue(std::move(*wanted));
  if (!issued) co_return std::unexpected(issued.error());
  json::object body = describe(issued->token, services.clock.wall_ms());
  body["token"] = issued->text;
  Response response = answer_json(201, body);
  response.headers.emplace_back("Cache-Control", "no-store");
  co_return response;
}

asio::awaitable<Result<Response>> list_tokens(Services& services, Request&) {
  json::array list;
  const WallMs now = services.clock.wall_ms();
  const auto tokens = co_await services.gate.tokens();
  for (const access::Token& token : tokens) list.push_back(describe(token, now));
  co_return answer_json(200, {{"tokens", std::move(list)}});
}

asio::awaitable<Result<Response>> revoke_token(Services& services, Request& request) {
  auto revoked = co_await services.gate.revoke(request.subject);
  if (!revoked) co_return std::unexpected(revoked.error());
  co_return answer_json(200, {{"token_id", request.subject}, {"outcome", "revoked"}});
}

asio::awaitable<Result<Response>> open_ui(Services& services, Request& request) {
  {
    requests::Fields fields(request.body);
    if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  }
  auto url = services.open_tcp();
  if (!url) co_return std::unexpected(url.error());
  auto code = services.gate.make_code();
  if (!code) co_return std::unexpected(code.error());
  Response response = answer_json(
      200,
      {{"url", *url}, {"link", *url + "/login?code=" + *code}, {"valid_ms", limits::kLoginCodeMs}});
  response.headers.emplace_back("Cache-Control", "no-store");
  co_return response;
}

asio::awaitable<Result<Response>> log_in(Services& services, Request& request) {
  auto code = text_in(request.query, "code");
  if (!code) co_return std::unexpected(code.error());
  if (!request.door.tcp) {
    co_return fail_invalid("code", "a browser session is for a browser; the socket needs none");
  }
  // A page that a browser prefetches must not use up the link.
  if (request.method == "HEAD" || !*code || !services.gate.take_code(**code)) {
    co_return fail(ErrorCode::invalid, "unauthorized",
                   "this login link has been used or has expired; create another with `drover ui`",
                   "code");
  }
  auto session = co_await services.gate.begin_session(std::string(request.host));
  if (!session) co_return std::unexpected(session.error());
  Response response;
  response.status = 303;
  // A browser keeps what is behind the # to itself; the page stores it (front.cc).
  response.headers.emplace_back(
      "Location",
      request.door.secure ? "/" : "/#key=" + services.gate.page_key_of(session->token.id));
  response.headers.emplace_back("Set-Cookie",
                                cookie(request, session->text, limits::kBrowserSessionMs / 1'000));
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  co_return response;
}

asio::awaitable<Result<Response>> log_out(Services& services, Request& request) {
  {
    requests::Fields fields(request.body);
    if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  }
  bool ended = false;
  if (!session_in(request).empty()) {
    if (const auto grant = co_await identify(services, request);
        grant && !grant->session_host.empty()) {
      auto revoked = co_await services.gate.revoke(grant->token_id);
      if (!revoked) co_return std::unexpected(revoked.error());
      ended = true;
    }
  }
  Response response = answer_json(200, {{"outcome", ended ? "logged_out" : "no_session"}});
  response.headers.emplace_back("Set-Cookie", cookie(request, "", 0));
  co_return response;
}

}  // namespace drover::api
