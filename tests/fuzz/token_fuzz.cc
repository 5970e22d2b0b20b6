// Fuzzes what a caller over TCP says about itself: the host, the origin, tokens and cookies. The
// first line of an input is the host of an absolute target (none if it is empty), the others are
// headers. In them, the bytes 1 to 5 stand for secrets that the fuzzer cannot guess. No request is
// answered unless it has a whole secret in its right place, and names us as its host.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "access/seal.h"
#include "api/http/authorize.h"
#include "tests/fuzz/fuzz_door.h"

namespace drover::fuzz {
namespace {

class TcpDoor final : public api::Door {
 public:
  TcpDoor() {
    on_loop([&] {
      config::ListenAddress address;
      address.port = 0;
      if (!server_->listen_tcp(address)) std::abort();
      const std::string& url = server_->services().tcp_url;
      port_ = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
    });
    secrets_[0] = api::kOwnerToken;
    const api::HttpAnswer token = ask("POST", "/api/tokens", R"({"scope":"app","can":"read"})",
                                      "Content-Type: application/json\r\n");
    secrets_[1] = token.json().at("token").as_string();
    begin_session();
    const RunId run = *RunId::parse(submit());
    secrets_[4] = on_loop([&] { return gate_.of_run(run); });
  }

  // The input as a request, with secrets in place of the bytes 1 to 5.
  std::string request_of(std::string_view input) const {
    const std::string_view line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(input.size(), line.size() + 1));
    std::string host(line);
    std::erase_if(host, [](char c) { return !std::strchr("abehloslt0123456789.:[]@", c); });
    std::string request =
        "GET " + (host.empty() ? "" : "http://" + host) + "/api/runs HTTP/1.1\r\n";
    for (const char c : input) {
      const bool is_secret = c >= 1 && static_cast<size_t>(c) <= secrets_.size();
      request += is_secret ? secrets_[static_cast<size_t>(c) - 1] : std::string(1, c);
    }
    return request + "\r\n\r\n";
  }

  // Whether the request may be answered, found in another way than the server does.
  bool may_answer(std::string_view request) const {
    const std::string_view head = request.substr(0, request.find("\r\n\r\n") + 2);
    const std::string host(value_in(head, "host"));
    const std::string_view origin = value_in(head, "origin");
    const std::string_view bearer = value_in(head, "authorization");
    if (host != "localhost" && !api::is_own_host(host, false)) return false;
    if (!origin.empty() && !is_same(origin, "http://" + host)) return false;
    for (const size_t token : {0UL, 1UL, 4UL}) {
      if (bearer.size() > 7 && bearer.substr(7) == secrets_[token]) return true;
    }
    return bearer.empty() && value_in(head, "drover-page-key") == secrets_[3] &&
           value_in(head, "cookie").find(secrets_[2]) != std::string_view::npos;
  }

  std::string answer_to(std::string_view request) {
    api::Client one(port_);
    one.send(request);
    one.end();
    return one.read_to_end();
  }

 private:
  void TestBody() override {}

  void begin_session() {
    const api::HttpAnswer link = ask("POST", "/api/ui", "{}", "Content-Type: application/json\r\n");
    const std::string url(link.json().at("link").as_string());
    api::Client browser(port_);
    browser.send("GET " + url.substr(url.find("/login")) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    api::HttpAnswer login = browser.answer();
    const std::string cookie = login.headers["set-cookie"];
    secrets_[2] = cookie.substr(0, cookie.find(';'));
    secrets_[3] = login.headers["location"].substr(std::strlen("/#key="));
  }

  static bool is_same(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, ::tolower, ::tolower);
  }
  // The value of a header's first line; empty: there is none.
  static std::string_view value_in(std::string_view head, std::string_view name) {
    while (!head.empty()) {
      std::string_view line = head.substr(0, head.find("\r\n"));
      head.remove_prefix(std::min(head.size(), line.size() + 2));
      if (line.size() <= name.size() || line[name.size()] != ':') continue;
      if (!is_same(line.substr(0, name.size()), name)) continue;
      line.remove_prefix(name.size() + 1);
      while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
      while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
      return line;
    }
    return {};
  }

  std::uint16_t port_ = 0;
  // The owner's token, an issued one, the cookie of a browser session, its page's key, a run's.
  std::array<std::string, 5> secrets_;
};

}  // namespace
}  // namespace drover::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace drover::fuzz;
  // OpenSSL starts before the first door, so that it ends after the last one.
  static const std::string first = drover::access::sha256_hex("");
  TcpDoor& door = one_of<TcpDoor>();
  const std::string request = door.request_of({reinterpret_cast<const char*>(data), size});
  const std::string answer = door.answer_to(request);
  expect_an_answer(answer);
  if (!answer.starts_with("HTTP/1.1 2") || door.may_answer(request)) return 0;
  std::fprintf(stderr, "answered:\n%s\n%s\n", request.c_str(), answer.c_str());
  std::abort();
}
