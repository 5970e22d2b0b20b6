// Which IP addresses are public: those of other people's servers on the internet. All others reach
// this machine, its network or its cloud provider's metadata service, so a URL that anybody may
// have written must not lead there unless its trigger allows it.
//
// IPv6 forms that carry an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) are judged by
// that address, too. Pure.
#pragma once

#include <sys/socket.h>

#include <string>

namespace drover::triggers {

// False for every family but IPv4 and IPv6. `address` must have the size of its family.
bool is_public(const sockaddr& address);

// "192.0.2.7", "2001:db8::1"; empty for other families.
std::string address_text(const sockaddr& address);

}  // namespace drover::triggers
