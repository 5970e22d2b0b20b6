// How long does it take from a cause to the process that it starts, in the daemon of $DROVER_HOME?
//
//   bench-trigger-latency plain N           a run that is submitted
//   bench-trigger-latency emit N            an event of the type bench.event
//   bench-trigger-latency hook N SECRET     a request to /hooks/bench, signed with this secret
//   bench-trigger-latency internal N        the end of a run, which its client learns
//     Prints the median in milliseconds. Except with `plain`, the caller has added a trigger whose
//     command is this program with the words `mark SOCKET`; the environment variable
//     DROVER_BENCH_SOCKET names the socket.
//
//   bench-trigger-latency mark SOCKET       what is started: says so to the program above
#include <openssl/hmac.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "bench/client.h"

namespace {

using namespace drover;
using bench::give_up;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  if (path.size() >= sizeof out.sun_path) give_up("the socket's path is too long");
  std::memcpy(out.sun_path, path.data(), path.size());
  return out;
}

Fd datagrams() {
  return Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

int mark(const std::string& path) {
  const sockaddr_un to = address_of(path);
  const Fd socket = datagrams();
  return ::sendto(socket.get(), "x", 1, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 1
             ? 0
             : 1;
}

std::string signature(const std::string& secret, const std::string& body) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest.data(), &size);
  std::string out = "X-Hub-Signature-256: sha256=";
  for (unsigned int i = 0; i < size; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", digest[i]);
    out += two;
  }
  return out + "\r\n";
}

void answer_of(bench::Client& client) {
  std::string answer;
  while (!client.take(answer)) {
  }
}

// Sends the cause. Returns when it happened.
MonoNs cause(bench::Client& client, const std::string& kind, const std::string& self,
             const std::string& path, const std::string& secret, int number) {
  const SystemClock clock;
  MonoNs begin = clock.mono_ns();
  if (kind == "plain") {
    client.post("/api/runs",
                R"({"command":[")" + self + R"(","mark",")" + path + R"("],"cwd":"/"})");
  } else if (kind == "emit") {
    client.post("/api/events", R"({"type":"bench.event"})");
  } else if (kind == "hook") {
    const std::string body = R"({"number":)" + std::to_string(number) + "}";
    client.post("/hooks/bench", body, signature(secret, body));
  } else {
    client.post("/api/runs?wait=60s", R"({"command":["/bin/true"],"cwd":"/","name":"cause"})");
    answer_of(client);
    return clock.mono_ns();
  }
  answer_of(client);
  return begin;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 2 ? argv[1] : "";
  if (kind == "mark") return mark(argv[2]);
  const int count = argc > 2 ? std::atoi(argv[2]) : 0;
  const char* path = std::getenv("DROVER_BENCH_SOCKET");
  if (count < 1 || path == nullptr) {
    give_up("usage: DROVER_BENCH_SOCKET=PATH bench-trigger-latency plain|emit|hook|internal N");
  }
  std::array<char, 4096> self{};
  if (::readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) give_up("who am I?");
  (void)::unlink(path);
  const Fd socket = datagrams();
  const sockaddr_un own = address_of(path);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
    give_up("no socket");
  }
  bench::Client client;
  std::vector<double> found;
  const SystemClock clock;
  for (int i = 0; i < count; ++i) {
    const MonoNs begin = cause(client, kind, self.data(), path, argc > 3 ? argv[3] : "", i);
    pollfd ready{.fd = socket.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 10'000) != 1) give_up("nothing was started");
    found.push_back(static_cast<double>(std::max<MonoNs>(clock.mono_ns() - begin, 0)) / 1e6);
    char byte = 0;
    if (::recv(socket.get(), &byte, 1, 0) != 1) give_up("no datagram");
    ::usleep(20'000);  // Its end is recorded: the next one waits for nothing.
  }
  std::ranges::sort(found);
  std::printf("%.3f\n", found[found.size() / 2]);
  return 0;
}
