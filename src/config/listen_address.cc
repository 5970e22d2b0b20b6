#include "config/listen_address.h"

#include <arpa/inet.h>

#include <charconv>

namespace drover::config {
namespace {

std::unexpected<Error> bad(std::string_view text) {
  return fail_invalid("listen",
                      "the listen address must be an IP address and a port such as 127.0.0.1:7777 "
                      "or [::1]:7777, not " +
                          std::string(text.substr(0, 80)));
}

}  // namespace

bool ListenAddress::is_loopback() const {
  return is_v6 ? host == "::1" : host.starts_with("127.");
}

std::string ListenAddress::url(bool secure, std::uint16_t bound_port) const {
  std::string out = secure ? "https://" : "http://";
  // If it listens on all addresses, clients on this machine use loopback.
  if (is_v6) {
    out += host == "::" ? "[::1]" : "[" + host + "]";
  } else {
    out += host == "0.0.0.0" ? "127.0.0.1" : host;
  }
  return out + ":" + std::to_string(bound_port);
}

Result<ListenAddress> parse_listen(std::string_view text) {
  ListenAddress out;
  std::string_view host = text;
  std::string_view port;
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return bad(text);
    host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && !rest.starts_with(':')) return bad(text);
    if (!rest.empty()) port = rest.substr(1);
    if (!rest.empty() && port.empty()) return bad(text);
    out.is_v6 = true;
  } else if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (port.empty()) return bad(text);
  }
  if (!port.empty()) {
    const auto [end, wrong] = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (wrong != std::errc{} || end != port.data() + port.size()) return bad(text);
  }
  if (text.empty()) return bad(text);
  if (host == "localhost") host = "127.0.0.1";
  if (!host.empty()) out.host = host;
  unsigned char bytes[16];
  if (::inet_pton(out.is_v6 ? AF_INET6 : AF_INET, out.host.c_str(), bytes) != 1) return bad(text);
  char canonical[INET6_ADDRSTRLEN];
  ::inet_ntop(out.is_v6 ? AF_INET6 : AF_INET, bytes, canonical, sizeof canonical);
  out.host = canonical;
  return out;
}

Result<> check_tls_pair(std::string_view cert, std::string_view key) {
  if (cert.empty() == key.empty()) return {};
  return fail_invalid("listen",
                      "TLS needs both a certificate and its key; give listen.tls_cert and "
                      "listen.tls_key");
}

Result<> check_exposure(const ListenAddress& address, bool has_tls, bool insecure) {
  if (address.is_loopback() || has_tls || insecure) return {};
  return fail(ErrorCode::invalid, "insecure_listen",
              address.host +
                  " can be reached from other machines: set listen.tls_cert and listen.tls_key, or "
                  "give --insecure-listen if a firewall or proxy protects it",
              "listen");
}

}  // namespace drover::config
