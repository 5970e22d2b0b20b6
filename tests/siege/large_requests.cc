// Requests that cost much: screens of the largest size, filtered reads of a long output, bodies of
// the largest size. Some clients leave before the answer.
#include <gtest/gtest.h>

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <vector>

#include "base/limits.h"
#include "tests/race/client.h"
#include "tests/siege/attack.h"
#include "tests/siege/connections.h"

namespace drover::siege {
namespace {

constexpr int kReadersMax = 4;
constexpr int kBodiesMax = 8;

// Each `ESC # 8` fills all cells of the screen: a few take milliseconds, a million longer than
// anybody waits.
constexpr auto kScreens = std::to_array<const char*>({
    R"sh(yes "$(printf '\033#8')" | tr -d '\n' | head -c 3000)sh",
    R"sh(yes "$(printf '\033#8')" | tr -d '\n' | head -c 1000000)sh",
    "seq 1 200000",
});

// Sends that request on several connections; some are closed without reading.
void read_and_leave(Target& target, tests::SeededRandom& random, const std::string& path) {
  const std::string request = race::request_of("GET", path);
  std::vector<Fd> all;
  for (int left = 1 + random.below(kReadersMax); left > 0; --left) {
    all.push_back(connect_to(target.flock.home().socket()));
    say(all.back(), request);
  }
  pause_ms(random.below(500));
}

void large_screens(Target& target, tests::SeededRandom& random) {
  const std::string script = kScreens[static_cast<size_t>(random.below(kScreens.size()))];
  const tests::DaemonAnswer answer = target.ask(
      {.method = "POST",
       .target = "/api/runs",
       .body = {
           {"shell", script},
           {"cwd", "/"},
           {"stdin", "pty"},
           {"pty", {{"rows", limits::kTerminalRowsMax}, {"cols", limits::kTerminalColumnsMax}}}}});
  const std::string id = tests::text_of(answer.body, "run_id");
  (void)target.ended(id);
  read_and_leave(target, random, "/api/runs/" + id + "/screen");
}

// All 35 MB are read to find nothing.
void long_outputs(Target& target, tests::SeededRandom& random) {
  const std::string id =
      target.submit({"/bin/sh", "-c", "yes 'one of a million lines' | head -c 35000000"});
  (void)target.ended(id);
  read_and_leave(target, random, "/api/runs/" + id + "/logs?stream=stderr");
  (void)target.ask({.method = "DELETE", .target = "/api/runs/" + id});
}

void large_bodies(Target& target, tests::SeededRandom& random) {
  const std::string run = boost::json::serialize(
      boost::json::object{{"command", boost::json::array{"/bin/true"}}, {"cwd", "/"}});
  const std::string largest = std::string(limits::kBodyBytesMax - run.size(), ' ') + run;
  const std::string valid = race::request_of("POST", "/api/runs", largest);
  const std::string longer = race::request_of("POST", "/api/runs", ' ' + largest);
  for (int left = 1 + random.below(kBodiesMax); left > 0; --left) {
    const Fd fd = connect_to(target.flock.home().socket());
    const bool is_longer = random.below(2) == 0;
    for (const int status : pipeline(fd, is_longer ? longer : valid, 1)) {
      // 503: the disk was full, or the daemon was stopping.
      EXPECT_TRUE(status == (is_longer ? 413 : 202) || (!is_longer && status == 503)) << status;
    }
  }
}

constexpr auto kAll = std::to_array<Attack>({
    {"large screens", large_screens},
    {"long outputs", long_outputs},
    {"large bodies", large_bodies},
});

}  // namespace

std::span<const Attack> large_requests() {
  return kAll;
}

}  // namespace drover::siege
