#include "bench/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/clock.h"
#include "base/home.h"

namespace drover::bench {

void give_up(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}

Client::Client() : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const auto home = Home::from_environment();
  if (!home) give_up(home.error().message);
  const std::string path = home->socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) give_up("the socket's path is too long");
  std::memcpy(address.sun_path, path.data(), path.size());
  if (::connect(fd(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    give_up("no daemon answers on " + path + "; start one with `drover status`");
  }
}

void Client::post(std::string_view target, std::string_view body, std::string_view headers) {
  std::string request = "POST " + std::string(target) +
                        " HTTP/1.1\r\nHost: drover\r\nContent-Type: application/json\r\n"
                        "Content-Length: " +
                        std::to_string(body.size()) + "\r\n";
  request.append(headers).append("\r\n").append(body);
  if (!write_all(fd(), request)) give_up("the daemon hung up");
}

void Client::get(std::string_view target) {
  const std::string request = "GET " + std::string(target) + " HTTP/1.1\r\nHost: drover\r\n\r\n";
  if (!write_all(fd(), request)) give_up("the daemon hung up");
}

bool Client::take(std::string& answer) {
  char buffer[8192];
  const ssize_t n = ::recv(fd(), buffer, sizeof buffer, 0);
  if (n <= 0) give_up("the daemon hung up");
  text_.append(buffer, static_cast<size_t>(n));
  const size_t head = text_.find("\r\n\r\n");
  if (head == std::string::npos) return false;
  const size_t length = text_.find("Content-Length: ");
  if (length == std::string::npos) give_up("an answer without a length");
  const size_t body = std::strtoull(text_.c_str() + length + 16, nullptr, 10);
  if (text_.size() < head + 4 + body) return false;
  answer = text_.substr(head + 4, body);
  const std::string status = text_.substr(9, 3);
  if (status != "200" && status != "202") give_up(answer);
  text_.clear();
  return true;
}

double rate(int total, int at_once, void (*ask)(Client&), void (*check)(const std::string&)) {
  std::vector<Client> clients(static_cast<size_t>(at_once));
  std::vector<pollfd> polls;
  for (const Client& client : clients) {
    polls.push_back({.fd = client.fd(), .events = POLLIN, .revents = 0});
  }
  const SystemClock clock;
  const auto begin = clock.mono_ns();
  int asked = 0, answered = 0;
  for (Client& client : clients) {
    if (asked < total) ask(client), ++asked;
  }
  std::string answer;
  while (answered < total) {
    ::poll(polls.data(), polls.size(), -1);
    for (size_t i = 0; i < clients.size(); ++i) {
      if (polls[i].revents == 0 || !clients[i].take(answer)) continue;
      check(answer);
      ++answered;
      if (asked < total) ask(clients[i]), ++asked;
    }
  }
  return total / (static_cast<double>(clock.mono_ns() - begin) / 1e9);
}

}  // namespace drover::bench
