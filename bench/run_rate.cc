// How many /bin/true does the daemon of $DROVER_HOME take from submission to a known end, each
// second, with K in flight?
//
//   bench-run-rate N K    prints runs per second
//
// K keep-alive connections, each submitting a run and waiting for its end, on one thread.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/home.h"

namespace {

using namespace drover;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "bench-run-rate: %s\n", why.c_str());
  std::exit(1);
}

constexpr std::string_view kSubmit = R"({"command":["/bin/true"],"cwd":"/"})";

class Client {
 public:
  explicit Client(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) give_up("the socket's path is too long");
    std::memcpy(address.sun_path, path.data(), path.size());
    if (::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      give_up("no daemon answers on " + path + "; start one with `drover status`");
    }
  }

  int fd() const { return socket_.get(); }

  void submit() {
    send(
        "POST /api/runs?wait=60s HTTP/1.1\r\nHost: drover\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(kSubmit.size()) + "\r\n\r\n" + std::string(kSubmit));
  }

  // Takes what has come. True once the run is known to have ended.
  bool take() {
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
    const std::string answer = text_.substr(head + 4, body);
    const bool known = answer.find(R"("state":"completed")") != std::string::npos;
    if (text_.compare(9, 3, "202") != 0 || !known) give_up(answer);
    text_.clear();
    return true;
  }

 private:
  void send(const std::string& request) {
    if (!write_all(fd(), request)) give_up("the daemon hung up");
  }

  Fd socket_;
  std::string text_;
};

}  // namespace

int main(int argc, char** argv) {
  const int total = argc > 1 ? std::atoi(argv[1]) : 2000;
  const int at_once = argc > 2 ? std::atoi(argv[2]) : 8;
  const auto home = Home::from_environment();
  if (!home || total < 1 || at_once < 1) give_up("usage: bench-run-rate N K");
  std::vector<Client> clients;
  std::vector<pollfd> polls;
  for (int i = 0; i < at_once; ++i) {
    clients.emplace_back(home->socket());
    polls.push_back({.fd = clients.back().fd(), .events = POLLIN, .revents = 0});
  }
  const SystemClock clock;
  const auto begin = clock.mono_ns();
  int started = 0, finished = 0;
  for (Client& client : clients) {
    if (started < total) client.submit(), ++started;
  }
  while (finished < total) {
    ::poll(polls.data(), polls.size(), -1);
    for (size_t i = 0; i < clients.size(); ++i) {
      if (polls[i].revents == 0 || !clients[i].take()) continue;
      ++finished;
      if (started < total) clients[i].submit(), ++started;
    }
  }
  const double seconds = static_cast<double>(clock.mono_ns() - begin) / 1e9;
  std::printf("%.1f\n", total / seconds);
}
