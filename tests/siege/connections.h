// The connections of attackers. If the daemon dies or does not listen at the moment, the attackers
// get fewer answers, or none; that fails no test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"

namespace drover::siege {

Fd connect_to(const std::string& socket);  // Empty: nobody listens.
Fd connect_to(std::uint16_t port);         // On loopback, over TCP; does not wait.

// Sends what fits into the socket's buffer.
void say(const Fd& fd, std::string_view bytes);

// Sends `requests`, one behind the other without waiting, and reads until there are `count` answers
// or the daemon closes the connection. Returns their statuses.
std::vector<int> pipeline(const Fd& fd, std::string_view requests, size_t count);

}  // namespace drover::siege
