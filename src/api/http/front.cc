#include "api/http/front.h"

namespace drover::api {
namespace {

constexpr std::string_view kPage = R"html(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Drover</title>
<h1>Drover</h1>
<p>This is a Drover daemon. It runs commands, and is spoken to with <code>drover</code> or over HTTP.</p>
<ul>
<li><a href="/openapi.json">/openapi.json</a> describes the API
<li><a href="/readyz">/readyz</a> says whether it takes runs
</ul>
<p>Everything else needs a token (<code>drover token create</code>) or a session (<code>drover ui</code>).</p>
</html>
)html";

}  // namespace

asio::awaitable<Result<Response>> show_front(Services&, Request&) {
  Response response;
  response.content_type = "text/html; charset=utf-8";
  // It needs nothing from anywhere, and stands in nobody's frame.
  response.headers.emplace_back("Content-Security-Policy",
                                "default-src 'none'; frame-ancestors 'none'");
  response.body = kPage;
  co_return response;
}

}  // namespace drover::api
