// Webhooks at the real door: strangers send them over TCP, and the signature decides.
#include <semaphore>

#include "api/door_fixture.h"
#include "api/triggers/hook_fixture.h"

namespace drover::api {
namespace {

class Hooks : public Door {
 protected:
  Hooks() {
    on_loop([&] {
      config::ListenAddress address;
      address.port = 0;
      EXPECT_TRUE(server_->listen_tcp(address));
      const std::string& url = server_->services().tcp_url;
      port_ = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
    });
    const HttpAnswer added = ask("POST", "/api/triggers",
                                 hook_with_secret_in(directory_.file("hush"), "push", "site/push"));
    EXPECT_EQ(added.status, 200U) << added.body;
  }

  static std::string head_of(const std::string& path, size_t body_bytes,
                             const std::string& headers = "") {
    return "POST /hooks/" + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
           "Content-Length: " + std::to_string(body_bytes) + "\r\n\r\n";
  }

  std::uint16_t port_ = 0;
};

// A stranger's body is not read if there is no such webhook, or if the request is not signed: the
// answer is there before the body.
TEST_F(Hooks, RefuseByTheHeadAlone) {
  Client nowhere(port_);
  nowhere.send(head_of("site/other", 200'000));
  expect_error(nowhere.answer(), 404, "not_found", "hook");
  Client unsigned_one(port_);
  unsigned_one.send(head_of("site/push", 200'000));
  expect_error(unsigned_one.answer(), 401, "signature_missing", "x-hub-signature-256");
}

// A signed body of any type may be large; one that is larger than that, or signed by somebody else,
// is refused.
TEST_F(Hooks, TakeALargeSignedBody) {
  const std::string body(200'000, 'x');
  Client sender(port_);
  sender.send(head_of("site/push", body.size(), signature_of(body)) + body);
  EXPECT_EQ(sender.answer().status, 202U);
  Client forger(port_);
  forger.send(head_of("site/push", body.size(), signature_of("another")) + body);
  expect_error(forger.answer(), 401, "signature_invalid", "x-hub-signature-256");
  Client flooder(port_);
  flooder.send(head_of("site/push", 300'000, signature_of(body)));
  EXPECT_EQ(flooder.answer().status, 413U);
}

// All strangers wait in one line for the store, which never has all of its threads: not in that of
// the owner.
TEST_F(Hooks, WaitInTheLineOfStrangers) {
  constexpr int kSenders = 3;
  std::atomic<int> held = kSenders;
  std::counting_semaphore<> gate{0};
  work::Pool& pool = reads_.pool();
  pool.before_each_job([&] {
    if (held.fetch_sub(1) > 0) gate.acquire();
  });
  std::vector<Client> senders;
  for (int i = 0; i < kSenders; ++i) {
    const std::string body = std::to_string(i);
    senders.emplace_back(port_);
    senders.back().send(head_of("site/push", body.size(), signature_of(body)) + body);
  }
  eventually([&] { return pool.running() + pool.waiting() == kSenders; });
  EXPECT_EQ(on_loop([&] { return pool.running(); }), 2U);
  gate.release(kSenders);
  for (Client& sender : senders) EXPECT_EQ(sender.answer().status, 202U);
}

}  // namespace
}  // namespace drover::api
