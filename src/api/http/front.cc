#include "api/http/front.h"

#include "api/http/authorize.h"
#include "base/id.h"

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
<li><a href="/readyz">/readyz</a> shows whether a run can start and end now
)html";

constexpr std::string_view kNeedsAToken =
    R"html(All other requests need a token (<code>drover token create</code>) or a browser session (<code>drover ui</code>).)html";

// A browser sends the cookie of a browser session to every port of this host, so without TLS the
// daemon also wants a key that `drover ui` gave to this page. The browser stores it for this port
// alone. So the daemon cannot tell yet whether a caller with a cookie is logged in: the script
// finds out, and shows the sentence in <noscript> if not.
constexpr std::string_view kScript = R"html(
const given = location.hash.match(/^#key=([0-9a-f]+)$/);
if (given) {
  localStorage.setItem('drover_page_key', given[1]);
  history.replaceState(null, '', '/');
}
const key = localStorage.getItem('drover_page_key');
const access = document.getElementById('access');
const refuse = () => {
  const sentence = document.querySelector('noscript');
  if (sentence) access.innerHTML = sentence.textContent;
};
if (!key) {
  refuse();
} else {
  fetch('/api/runs?limit=20', {headers: {'Drover-Page-Key': key}})
    .then(answer => answer.ok ? answer.json() : Promise.reject())
    .then(page => {
      access.textContent = 'You are logged in. The latest runs:';
      const list = document.body.appendChild(document.createElement('ul'));
      for (const run of page.runs) {
        const item = list.appendChild(document.createElement('li'));
        item.textContent = run.run_id + ' ' + run.state + ' ' + (run.name || run.command.join(' '));
      }
    })
    .catch(refuse);
}
</script>
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
  // The page runs its own script alone, calls this daemon alone, and must not be framed.
  const std::string nonce = random_hex(32);
  response.headers.emplace_back("Content-Security-Policy",
                                "default-src 'none'; script-src 'nonce-" + nonce +
                                    "'; connect-src 'self'; frame-ancestors 'none'");
  response.headers.emplace_back("Cache-Control", "no-store");  // It depends on the caller.
  response.body = kTop;
  if (co_await identify(services, request)) {
    response.body += kForCallersWithAGrant;
  } else {
    const std::string needs_a_token(kNeedsAToken);
    response.body += "</ul>\n<p id=\"access\">";
    response.body += session_in(request).empty()
                         ? needs_a_token + "</p>\n"
                         : "Checking your login…</p>\n<noscript>" + needs_a_token + "</noscript>\n";
    response.body.append("<script nonce=\"").append(nonce).append("\">").append(kScript);
  }
  co_return response;
}

}  // namespace drover::api
