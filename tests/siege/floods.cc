// Floods of deliveries, of events, of questions and reports. A signature decides, limits answer,
// and the runs that a flood starts end.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <vector>

#include "inbox/limits.h"
#include "tests/race/client.h"
#include "tests/siege/attack.h"
#include "tests/siege/connections.h"

namespace drover::siege {
namespace {

constexpr int kRequestsMax = 100;
constexpr auto kOverlaps = std::to_array<const char*>({"skip", "queue", "replace"});
constexpr int kLargeBytes = 200 * 1024;  // An allowed body.

// The example of GitHub's documentation.
constexpr const char* kSecret = "It's a Secret to Everybody\n";
constexpr const char* kSigned = "Hello, World!";
constexpr const char* kSignature =
    "X-Hub-Signature-256: "
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17\r\n"
    "Content-Type: text/plain\r\n";

// A trigger for the time of one attack. Afterwards its runs have finished.
class FloodedTrigger {
 public:
  FloodedTrigger(Target& target, tests::SeededRandom& random, const std::string& name,
                 boost::json::object source)
      : target_(target), name_(name) {
    const tests::DaemonAnswer answer = target.ask(
        {.method = "POST",
         .target = "/api/triggers",
         .body = {{"name", name},
                  {"source", std::move(source)},
                  {"overlap", kOverlaps[static_cast<size_t>(random.below(kOverlaps.size()))]},
                  {"run", {{"command", boost::json::array{"/bin/true"}}, {"cwd", "/"}}}}});
    // 409: added by a request whose answer was lost.
    EXPECT_TRUE(answer.status == 200 || answer.status == 409) << answer.text;
  }
  ~FloodedTrigger() {
    (void)target_.ask({.method = "DELETE", .target = "/api/triggers/" + name_});
    target_.wait_for_rest("trigger/" + name_);
  }
  FloodedTrigger(const FloodedTrigger&) = delete;
  FloodedTrigger& operator=(const FloodedTrigger&) = delete;

 private:
  Target& target_;
  std::string name_;
};

std::string next_name(const char* kind) {
  static std::atomic<int> count = 0;
  return kind + std::to_string(++count);
}

// Deliveries with a forged and with a valid signature.
void deliveries(Target& target, tests::SeededRandom& random) {
  const std::string name = next_name("hook");
  const std::string secret = target.flock.file(name);
  std::ofstream(secret) << kSecret;
  ::chmod(secret.c_str(), 0600);
  const FloodedTrigger trigger(target, random, name,
                               {{"type", "webhook"}, {"path", name}, {"secret", "file:" + secret}});
  std::string forged, valid;
  const int count = 1 + random.below(kRequestsMax);
  for (int i = 0; i < count; ++i) {
    const std::string id = "X-GitHub-Delivery: " + std::to_string(i) + "\r\n" + kSignature;
    valid += race::request_of("POST", "/hooks/" + name, kSigned, id);
    forged += race::request_of("POST", "/hooks/" + name,
                               std::string(static_cast<size_t>(i % 8) * 100, 'x'), id);
  }
  const std::string& socket = target.flock.home().socket();
  for (const int status : pipeline(connect_to(socket), forged, static_cast<size_t>(count))) {
    EXPECT_TRUE(status == 401 || status == 503) << status;
  }
  for (const int status : pipeline(connect_to(socket), valid, static_cast<size_t>(count))) {
    EXPECT_TRUE(status == 202 || status == 200 || status == 503) << status;
  }
}

void events(Target& target, tests::SeededRandom& random) {
  const std::string name = next_name("flood");
  const FloodedTrigger trigger(target, random, name, {{"type", "event"}, {"on", name + ".*"}});
  std::string all;
  const int count = 1 + random.below(kRequestsMax);
  for (int i = 0; i < count; ++i) {
    const size_t bytes = i % 50 == 0 ? kLargeBytes : 10;
    all += race::request_of("POST", "/api/events",
                            boost::json::serialize(boost::json::object{
                                {"type", name + ".posted"}, {"payload", std::string(bytes, 'x')}}));
  }
  const Fd fd = connect_to(target.flock.home().socket());
  for (const int status : pipeline(fd, all, static_cast<size_t>(count))) {
    EXPECT_TRUE(status == 202 || status == 503) << status;
  }
}

// A run asks and reports more than the inbox keeps. Its questions are withdrawn when it ends.
void messages(Target& target, tests::SeededRandom& random) {
  const std::string id = target.submit({"/bin/sleep", "1000"});
  std::string all;
  const int count = 1 + random.below(kRequestsMax);
  for (int i = 0; i < count; ++i) {
    const bool asks = i % 2 == 0;
    const size_t bytes = i % 50 == 0 ? inbox::kContextBytesMax : 10;
    const boost::json::object question{
        {"question", "Deploy?"}, {"context", std::string(bytes, 'x')}, {"waits", true}};
    const boost::json::object report{{"type", "output"}, {"summary", "Half done"}};
    all += race::request_of("POST", "/api/runs/" + id + (asks ? "/questions" : "/reports"),
                            boost::json::serialize(asks ? question : report));
  }
  const Fd fd = connect_to(target.flock.home().socket());
  const std::vector<int> statuses = pipeline(fd, all, static_cast<size_t>(count));
  const auto allowed = inbox::kOpenPerRunMax + (count + 1) / 2;  // Reports are kept: the newest.
  EXPECT_LE(std::ranges::count_if(statuses, [](int status) { return status < 300; }), allowed);
  (void)target.ask({.method = "POST", .target = "/api/runs/" + id + "/cancel"});
  (void)target.ended(id);
}

constexpr auto kAll = std::to_array<Attack>({
    {"flood of deliveries", deliveries},
    {"flood of events", events},
    {"flood of questions and reports", messages},
});

}  // namespace

std::span<const Attack> floods() {
  return kAll;
}

}  // namespace drover::siege
