#include "tests/torture/caller.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>

#include "base/fd.h"

namespace drover::tests {
namespace {

constexpr int kPatienceMs = 60'000;  // Only ever reached by a bug.

std::string text_of(const Request& request) {
  std::string text =
      request.method + " " + request.target + " HTTP/1.1\r\nHost: drover\r\nConnection: close\r\n";
  if (!request.key.empty()) text += "Idempotency-Key: " + request.key + "\r\n";
  if (!request.token.empty()) text += "Authorization: Bearer " + request.token + "\r\n";
  if (request.method == "GET" || request.method == "DELETE") return text + "\r\n";
  const std::string body = request.bytes ? *request.bytes : boost::json::serialize(request.body);
  text += request.bytes ? "Content-Type: application/octet-stream\r\n"
                        : "Content-Type: application/json\r\n";
  return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Everything until the other side closes.
std::string read_all(int fd) {
  std::string text;
  char buffer[16 * 1024];
  while (true) {
    pollfd poll{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, kPatienceMs) <= 0) {
      ADD_FAILURE() << "the daemon neither answers nor dies";
      return {};
    }
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n <= 0) return text;
    text.append(buffer, static_cast<size_t>(n));
  }
}

}  // namespace

std::optional<DaemonAnswer> ask_once(const std::string& socket, const Request& request) {
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  const std::string sent = text_of(request);
  if (::send(fd.get(), sent.data(), sent.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(sent.size())) {
    return {};
  }
  const std::string text = read_all(fd.get());
  const size_t head = text.find("\r\n\r\n");
  constexpr std::string_view kLength = "Content-Length: ";
  const size_t length = text.find(kLength);
  if (head == std::string::npos || length > head) return {};
  const size_t size = std::strtoull(text.c_str() + length + kLength.size(), nullptr, 10);
  if (text.size() != head + 4 + size) return {};
  DaemonAnswer answer;
  answer.status = std::atoi(text.c_str() + sizeof "HTTP/1.1");
  answer.text = text.substr(head + 4);
  boost::system::error_code no_json;
  const boost::json::value value = boost::json::parse(answer.text, no_json);
  if (!no_json && value.is_object()) answer.body = value.get_object();
  return answer;
}

}  // namespace drover::tests
