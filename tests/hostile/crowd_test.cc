// Crowds of strangers over TCP: callers without a token that hold connections open. They take
// neither memory nor descriptors from callers with a token, nor from the owner on the socket.
#include <sys/socket.h>

#include <list>

#include "base/limits.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

using tests::Started;
using tests::text_of;

class Crowds : public AttackedFlock {
 protected:
  std::uint16_t port() {
    const std::string url = text_of(flock_.json({"status"}), "url");
    return static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
  }
  std::string owner() {
    auto token = read_file(flock_.home().owner_token(), 1'000).value();
    token.pop_back();
    return "Authorization: Bearer " + token + "\r\n";
  }
  // A daemon with few descriptors.
  std::unique_ptr<Started> start_small(const std::string& descriptors, const std::string& options) {
    auto daemon = std::make_unique<Started>(
        std::vector<std::string>{"/bin/sh", "-c",
                                 "ulimit -n " + descriptors + "; exec " + program("droverd") +
                                     " --listen 127.0.0.1:0 --ready-fd 3 " + options + " 3>&1"},
        flock_.environment, "");
    daemon->wait_for("ready");
    return daemon;
  }
};

// S2: a body without a token is not read. 150 strangers that send most of a large one get a 401 at
// once, and the daemon keeps nothing of it.
TEST_F(Crowds, WithUnfinishedBodiesHoldNoMemory) {
  flock_.environment["DROVER_LISTEN"] = "127.0.0.1:0";
  begin();
  const std::uint16_t door = port();
  const pid_t daemon = flock_.daemon();
  const long before = status_of(daemon, "VmRSS");
  const std::string body(1 << 20, ' ');
  const std::string head =
      "POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: " +
      std::to_string(limits::kBodyBytesMax) + "\r\n\r\n";
  std::list<race::Client> crowd;
  for (int i = 0; i < 150; ++i) {
    crowd.emplace_back(door).send(head);
    const Refusal refusal = refusal_in(crowd.back().take());
    ASSERT_EQ(refusal.status, 401) << i;
    ASSERT_EQ(refusal.code, "unauthorized");
    crowd.back().send(body);
  }
  EXPECT_LT(status_of(daemon, "VmRSS") - before, 50'000) << "kB";
  race::Client client(door);
  EXPECT_EQ(client.ask("GET", "/api/runs", "", "").status, 403);  // "Host: d"
  crowd.clear();
  expect_untouched();
}

// S2: clients that never finish the TLS handshake, more than the daemon has descriptors, do not
// keep the owner from the socket, nor runs from starting; nor another client from TCP.
TEST_F(Crowds, OfSilentTlsClientsLeaveTheOwnerAlone) {
  const std::string cert = flock_.file("cert.pem");
  const std::string key = flock_.file("key.pem");
  Started made(
      {"/bin/sh", "-c",
       "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj "
       "/CN=localhost -keyout " +
           key + " -out " + cert},
      {}, "");
  ASSERT_EQ(made.finish().code, 0);
  const auto daemon = start_small("160", "--tls-cert " + cert + " --tls-key " + key);
  const std::uint16_t door = port();
  std::list<race::Client> crowd;
  for (int i = 0; i < 300; ++i) crowd.emplace_back(door);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(end_of_a_run(), "completed");
    crowd.emplace_back(door);
  }
  EXPECT_EQ(flock_.drover({"ps"}).code, 0);
  EXPECT_LT(descriptors_of(daemon->pid()), 120U);
  crowd.clear();
  flock_.ok({"stop"});
  EXPECT_EQ(daemon->finish().code, 0);
}

// S2: the same without TLS, and a client with a token comes in beside them.
TEST_F(Crowds, OfSilentClientsLeaveClientsWithATokenAlone) {
  const auto daemon = start_small("160", "");
  const std::uint16_t door = port();
  const std::string bearer = "GET /api/runs HTTP/1.1\r\nHost: localhost\r\n" + owner() + "\r\n";
  race::Client known(door);
  known.send(bearer);
  EXPECT_EQ(known.take().status, 200);
  std::list<race::Client> crowd;
  for (int i = 0; i < 300; ++i) crowd.emplace_back(door);
  known.send(bearer);
  EXPECT_EQ(known.take().status, 200);
  EXPECT_EQ(end_of_a_run(), "completed");
  // A silent stranger gives way once it had its turn.
  int status = 0;
  while (status != 200) {
    race::Client next(door);
    next.send(bearer);
    status = next.take().status;
  }
  crowd.clear();
  flock_.ok({"stop"});
  EXPECT_EQ(daemon->finish().code, 0);
}

}  // namespace
}  // namespace drover::hostile
