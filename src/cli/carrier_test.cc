// `drover run --each` and what it sends ahead, as the real program.
#include <gtest/gtest.h>

#include <mutex>

#include "cli/fake_daemon.h"

namespace drover::cli {
namespace {

// Answers as a daemon would, and remembers in which order it was asked for what.
class Script {
 public:
  void operator()(const Heard& heard, Reply& reply) {
    if (heard.is("GET", "/health")) return reply.json(200, R"({"status":"ok"})");
    const std::lock_guard lock(mutex_);
    if (heard.method == "GET") {
      order_ += " wait";
      return reply.json(200, R"({"run_id":"run_2","state":"completed"})");
    }
    const std::string key = heard.headers.at("idempotency-key");
    order_ += " " + key.substr(key.rfind('-') + 1);
    if (!order_.ends_with(" 2")) return reply.json(202, R"({"run_id":"r","state":"completed"})");
    reply.with_header(202, "Connection: close\r\n", R"({"run_id":"run_2","state":"running"})");
    reply.cut();
  }
  std::string order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  std::mutex mutex_;
  std::string order_;
};

// S1: after a short run the next are sent ahead. A run that takes longer than that closes the
// connection: it is waited for on another one, and what was sent behind it is sent again after it.
TEST(Carrier, SendsAgainWhatWasNotMade) {
  Script script;
  FakeDaemon daemon([&](const Heard& heard, Reply& reply) { script(heard, reply); });
  const Ended ended = Program({"run", "--each", "-j", "1", "--key", "k", "--", "true"},
                              {.home = daemon.home(), .input = "a\nb\nc\nd\n"})
                          .wait();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(script.order(), " 1 2 wait 3 4");
}

}  // namespace
}  // namespace drover::cli
