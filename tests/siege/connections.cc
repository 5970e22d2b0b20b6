#include "tests/siege/connections.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>

namespace drover::siege {
namespace {

constexpr int kPatienceMs = 60'000;  // Only ever reached by a bug.

// Takes the complete answers from the front of `text`.
void take_statuses(std::string& text, std::vector<int>& statuses) {
  constexpr std::string_view kLength = "Content-Length: ";
  for (size_t head = 0; (head = text.find("\r\n\r\n")) != std::string::npos;) {
    const size_t length = text.find(kLength);
    const size_t body =
        length < head ? std::strtoull(text.c_str() + length + kLength.size(), nullptr, 10) : 0;
    if (text.size() < head + 4 + body) return;
    statuses.push_back(std::atoi(text.c_str() + sizeof "HTTP/1.1"));
    text.erase(0, head + 4 + body);
  }
}

}  // namespace

Fd connect_to(const std::string& socket) {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  return fd;
}

Fd connect_to(std::uint16_t port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  (void)!::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  return fd;
}

void say(const Fd& fd, std::string_view bytes) {
  (void)!::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::vector<int> pipeline(const Fd& fd, std::string_view requests, size_t count) {
  std::vector<int> statuses;
  std::string unread;
  char buffer[16 * 1024];
  while (statuses.size() < count && fd) {
    const short wanted = requests.empty() ? POLLIN : POLLIN | POLLOUT;
    pollfd ready{.fd = fd.get(), .events = wanted, .revents = 0};
    if (::poll(&ready, 1, kPatienceMs) <= 0) {
      ADD_FAILURE() << "the daemon neither answers nor closes the connection";
      break;
    }
    if ((ready.revents & POLLOUT) != 0) {
      const ssize_t n =
          ::send(fd.get(), requests.data(), requests.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      requests.remove_prefix(n > 0 ? static_cast<size_t>(n) : 0);
    }
    if ((ready.revents & ~POLLOUT) == 0) continue;
    const ssize_t n = ::recv(fd.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n <= 0) break;
    unread.append(buffer, static_cast<size_t>(n));
    take_statuses(unread, statuses);
  }
  return statuses;
}

}  // namespace drover::siege
