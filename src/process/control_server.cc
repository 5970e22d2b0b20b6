#include "process/control_server.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/crash_point.h"

namespace drover::process {
namespace {

// The buffer for messages; pages that no message touches are never allocated.
char g_buffer[sizeof(ControlMessage) + kControlPayloadMax];

bool is_owner(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

}  // namespace

void ControlServer::open(const char* controls, std::string_view directory) {
  const std::string_view name = control_name(directory);
  if (name.size() >= name_.size() || ::chdir(controls) != 0) return;
  std::ranges::copy(name, name_.begin());
  // Bound under another name and renamed once it listens: a socket that can be found can be
  // connected to.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s.new", name_.data());
  Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ::unlink(address.sun_path);
  if (!fd || ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd.get(), kConnectionsMax) != 0 || ::rename(address.sun_path, name_.data()) != 0) {
    return;
  }
  crash_point("control.listening");
  listener_ = std::move(fd);
}

void ControlServer::close() {
  if (listener_) ::unlink(name_.data());
  listener_.close();
  for (Connection& connection : connections_) connection.fd.close();
}

size_t ControlServer::add_to(pollfd* polls) const {
  size_t n = 0;
  if (listener_) polls[n++] = {.fd = listener_.get(), .events = POLLIN, .revents = 0};
  for (const Connection& connection : connections_) {
    if (connection.fd) polls[n++] = {.fd = connection.fd.get(), .events = POLLIN, .revents = 0};
  }
  return n;
}

bool ControlServer::has_reader() const {
  return std::ranges::any_of(connections_, [](const Connection& c) { return c.fd && c.is_reader; });
}

void ControlServer::accept_one() {
  if (!listener_) return;
  Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd || !is_owner(fd.get())) return;
  auto place = std::ranges::find_if(connections_, [](const Connection& c) { return !c.fd; });
  if (place == connections_.end()) {
    // Replace the oldest connection: it may be a dead daemon's, and the newest is the living one's.
    // Spare the exact reader's: closing it would mean that the reader has left.
    place = std::ranges::find(connections_, false, &Connection::is_reader);
    if (place == connections_.end()) place = connections_.begin();
    std::rotate(place, place + 1, connections_.end());
    place = connections_.end() - 1;
  }
  *place = {.fd = std::move(fd)};
}

bool ControlServer::receive(Fd& connection, ControlMessage& message, std::string_view& payload) {
  const ssize_t n = ::recv(connection.get(), g_buffer, sizeof g_buffer, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n < static_cast<ssize_t>(sizeof message)) {
    connection.close();
    return false;
  }
  std::memcpy(&message, g_buffer, sizeof message);
  payload = {g_buffer + sizeof message, static_cast<size_t>(n) - sizeof message};
  if (message.payload_bytes != payload.size()) {
    answer(connection, EBADMSG);
    return receive(connection, message, payload);
  }
  return true;
}

void ControlServer::answer(Fd& connection, int error_number) {
  crash_point("control.to_answer");
  const ControlAnswer answer{.error_number = error_number};
  // A client that does not read its answers is disconnected.
  if (::send(connection.get(), &answer, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL) !=
      static_cast<ssize_t>(sizeof answer)) {
    connection.close();
  }
}

}  // namespace drover::process
