#include "tests/race/client.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <boost/json/parse.hpp>
#include <cstdlib>
#include <cstring>

namespace drover::race {
namespace {

constexpr timeval kPatience{.tv_sec = 60, .tv_usec = 0};  // Only ever reached by a bug.

}  // namespace

std::string text_in(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

std::string HttpAnswer::text(std::string_view key) const {
  return text_in(body, key);
}

bool HttpAnswer::flag(std::string_view key) const {
  const boost::json::value* value = body.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

long HttpAnswer::number(std::string_view key) const {
  const boost::json::value* value = body.if_contains(key);
  return value != nullptr && value->is_number() ? value->to_number<long>() : -1;
}

std::string request_of(std::string_view method, std::string_view path, std::string_view body,
                       std::string_view headers) {
  std::string out(method);
  out.append(" ").append(path).append(" HTTP/1.1\r\nHost: d\r\n").append(headers);
  if (!body.empty()) {
    if (headers.find("Content-Type") == std::string_view::npos) {
      out.append("Content-Type: application/json\r\n");
    }
    out.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  }
  return out.append("\r\n").append(body);
}

Client::Client(const std::string& socket) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket.data(), socket.size());
  EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
}

Client::Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
}

void Client::send(std::string_view bytes) {
  (void)write_all(fd_.get(), bytes);  // The answer shows whether it arrived.
}

bool Client::read_some() {
  char buffer[16 * 1024];
  const ssize_t n = ::recv(fd_.get(), buffer, sizeof buffer, 0);
  if (n > 0) unread_.append(buffer, static_cast<size_t>(n));
  return n > 0;
}

HttpAnswer Client::take() {
  size_t end = 0;
  while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
    if (!read_some()) return {};
  }
  HttpAnswer answer;
  answer.head = unread_.substr(0, end + 4);
  answer.status = std::atoi(answer.head.c_str() + 9);
  const size_t length = answer.head.find("Content-Length: ");
  const size_t bytes = length == std::string::npos
                           ? 0
                           : std::strtoull(answer.head.c_str() + length + 16, nullptr, 10);
  while (unread_.size() < end + 4 + bytes) {
    if (!read_some()) return {};
  }
  boost::system::error_code bad;
  const auto value = boost::json::parse(std::string_view(unread_).substr(end + 4, bytes), bad);
  if (!bad && value.is_object()) answer.body = value.get_object();
  unread_.erase(0, end + 4 + bytes);
  return answer;
}

HttpAnswer Client::ask(std::string_view method, std::string_view path, std::string_view body,
                       std::string_view headers) {
  send(request_of(method, path, body, headers));
  return take();
}

std::string Client::take_stream() {
  while (unread_.find("\r\n\r\n") == std::string::npos) {
    if (!read_some()) return {};
  }
  unread_.erase(0, unread_.find("\r\n\r\n") + 4);
  std::string said;
  while (true) {
    size_t line = 0;
    while ((line = unread_.find("\r\n")) == std::string::npos) {
      if (!read_some()) return said + "(cut off)";
    }
    const size_t bytes = std::strtoull(unread_.c_str(), nullptr, 16);
    while (unread_.size() < line + 2 + bytes + 2) {
      if (!read_some()) return said + "(cut off)";
    }
    said += unread_.substr(line + 2, bytes);
    unread_.erase(0, line + 2 + bytes + 2);
    if (bytes == 0) return said;
  }
}

}  // namespace drover::race
