#include "triggers/poll/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace drover::triggers {
namespace {

using V6 = std::array<std::uint8_t, 16>;

struct Net4 {
  std::uint32_t base;
  int bits;
};
constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}
constexpr auto kSpecial4 = std::to_array<Net4>({
    {v4(0, 0, 0, 0), 8},        // This host; 0.0.0.0 connects to loopback.
    {v4(10, 0, 0, 0), 8},       // Private (RFC 1918).
    {v4(100, 64, 0, 0), 10},    // Shared by a provider's customers (CGNAT, RFC 6598).
    {v4(127, 0, 0, 0), 8},      // Loopback.
    {v4(169, 254, 0, 0), 16},   // Link-local, and the metadata service of clouds.
    {v4(172, 16, 0, 0), 12},    // Private.
    {v4(192, 0, 0, 0), 24},     // Protocol assignments.
    {v4(192, 0, 2, 0), 24},     // Documentation.
    {v4(192, 88, 99, 0), 24},   // 6to4 relays, withdrawn.
    {v4(192, 168, 0, 0), 16},   // Private.
    {v4(198, 18, 0, 0), 15},    // Benchmarks.
    {v4(198, 51, 100, 0), 24},  // Documentation.
    {v4(203, 0, 113, 0), 24},   // Documentation.
    {v4(224, 0, 0, 0), 4},      // Multicast.
    {v4(240, 0, 0, 0), 4},      // Reserved; broadcast.
});

bool is_public4(std::uint32_t address) {
  return std::ranges::none_of(
      kSpecial4, [&](const Net4& net) { return ((address ^ net.base) >> (32 - net.bits)) == 0; });
}

std::uint32_t v4_at(const V6& bytes, size_t at) {
  return v4(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

bool starts_with(const V6& bytes, std::initializer_list<std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

bool is_public6(const V6& a) {
  // ::/96 has the unspecified address, loopback and the compatible form, withdrawn.
  if (starts_with(a, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) return false;
  // Mapped, ::ffff:0:0/96, and translated, ::ffff:0:0:0/96.
  if (starts_with(a, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}) ||
      starts_with(a, {0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0})) {
    return is_public4(v4_at(a, 12));
  }
  // NAT64, 64:ff9b::/96. The prefix for local use, 64:ff9b:1::/48, is of a private network.
  if (starts_with(a, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return is_public4(v4_at(a, 12));
  }
  // Only 2000::/3 is assigned to the internet: this excludes fc00::/7 (ULA), fe80::/10
  // (link-local), fec0::/10 (site-local), ff00::/8 (multicast), 100::/64 (discard) and everything
  // unassigned.
  if ((a[0] & 0xe0) != 0x20) return false;
  if (starts_with(a, {0x20, 0x02})) return is_public4(v4_at(a, 2));      // 6to4.
  if (starts_with(a, {0x20, 0x01, 0, 0})) return false;                  // Teredo, a tunnel.
  if (starts_with(a, {0x20, 0x01}) && a[2] <= 0x01) return false;        // 2001::/23, protocols.
  if (starts_with(a, {0x20, 0x01, 0x0d, 0xb8})) return false;            // Documentation.
  if (starts_with(a, {0x3f, 0xff}) && (a[2] & 0xf0) == 0) return false;  // Documentation.
  return true;
}

}  // namespace

bool is_public(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4_address{};
    std::memcpy(&v4_address, &address, sizeof v4_address);
    return is_public4(ntohl(v4_address.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6_address{};
    std::memcpy(&v6_address, &address, sizeof v6_address);
    V6 bytes{};
    std::memcpy(bytes.data(), &v6_address.sin6_addr, bytes.size());
    return is_public6(bytes);
  }
  return false;
}

std::string address_text(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.sa_family == AF_INET) {
    sockaddr_in v4_address{};
    std::memcpy(&v4_address, &address, sizeof v4_address);
    ::inet_ntop(AF_INET, &v4_address.sin_addr, text.data(), text.size());
  } else if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6_address{};
    std::memcpy(&v6_address, &address, sizeof v6_address);
    ::inet_ntop(AF_INET6, &v6_address.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

}  // namespace drover::triggers
