#include "api/http/front.h"

#include "api/http/authorize.h"

namespace drover::api {
namespace {

constexpr std::string_view kTop = R"html(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Drover</title>
<h1>Drover</h1>
<p>This is a Drover daemon. It runs commands. Control it with the command <code>drover</code> or over HTTP.</p>
<ul>
<li><a href="/openapi.json">/openapi.json</a> describes the API
<li><a href="/readyz">/readyz</a> shows whether the daemon accepts runs
)html";

constexpr std::string_view kForStrangers = R"html(</ul>
<p>All other requests need a token (<code>drover token create</code>) or a session (<code>drover ui</code>).</p>
</html>
)html";

constexpr std::string_view kForCallersWithAGrant =
    R"html(<li><a href="/api/runs">/api/runs</a> lists the runs
</ul>
<p>You are logged in.</p>
</html>
)html";

}  // namespace

asio::awaitable<Result<Response>> show_front(Services& services, Request& request) {
  Response response;
  response.content_type = "text/html; charset=utf-8";
  // The page loads nothing and must not be framed.
  response.headers.emplace_back("Content-Security-Policy",
                                "default-src 'none'; frame-ancestors 'none'");
  response.headers.emplace_back("Cache-Control", "no-store");  // It depends on the caller.
  response.body = kTop;
  response.body += identify(services, request) ? kForCallersWithAGrant : kForStrangers;
  co_return response;
}

}  // namespace drover::api
