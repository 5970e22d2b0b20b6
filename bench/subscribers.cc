// Many subscribers to the events of the daemon of $DROVER_HOME, some of which never read.
//
//   bench-subscribers N STUCK    prints `ready`, then follows until its standard input ends
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/client.h"

int main(int argc, char** argv) {
  using namespace drover::bench;
  const int total = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int stuck = argc > 2 ? std::atoi(argv[2]) : 10;
  if (total < 1 || stuck > total) give_up("usage: bench-subscribers N STUCK");
  std::vector<Client> clients(static_cast<size_t>(total));
  std::vector<pollfd> polls{{.fd = 0, .events = POLLIN, .revents = 0}};
  for (Client& client : clients) {
    client.get("/api/events?follow=true");
    if (polls.size() <= static_cast<size_t>(total - stuck)) {
      polls.push_back({.fd = client.fd(), .events = POLLIN, .revents = 0});
    }
  }
  std::puts("ready");
  std::fflush(stdout);
  char buffer[65536];
  while (polls[0].revents == 0) {
    ::poll(polls.data(), polls.size(), -1);
    for (size_t i = 1; i < polls.size(); ++i) {
      if (polls[i].revents == 0) continue;
      if (::recv(polls[i].fd, buffer, sizeof buffer, 0) <= 0)
        give_up("a subscriber was disconnected");
    }
  }
}
