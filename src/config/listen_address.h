// A ListenAddress is where the API listens on TCP: an address of this machine and a port. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace drover::config {

struct ListenAddress {
  std::string host = "127.0.0.1";  // An address, without brackets.
  std::uint16_t port = limits::kPort;
  bool is_v6 = false;

  bool is_loopback() const;
  std::string url(bool secure, std::uint16_t bound_port) const;
};

// "127.0.0.1:7777", "[::1]:80", "localhost", ":8080"; port 0 is any that is free.
Result<ListenAddress> parse_listen(std::string_view text);

// TLS needs both files or neither; empty: not set.
Result<> check_tls_pair(std::string_view cert, std::string_view key);

// An address that other machines can reach needs TLS, or an explicit `insecure`.
Result<> check_exposure(const ListenAddress& address, bool has_tls, bool insecure);

}  // namespace drover::config
