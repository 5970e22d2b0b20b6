// Holders of tokens that take what they can: runs, lanes, priority, streams. Beyond its quota a
// token is refused, and its runs take nothing from the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <thread>
#include <vector>

#include "base/limits.h"
#include "tests/race/client.h"
#include "tests/siege/attack.h"
#include "tests/siege/connections.h"

namespace drover::siege {
namespace {

constexpr int kRefusedBeyond = 10;  // More than the quota allows; of runs, on each connection.
constexpr int kConnections = 16;    // Their runs share commits.

// A token of a scope of its own, as a header.
struct Greedy {
  std::string scope, bearer;
};

Greedy greedy(Target& target) {
  static std::atomic<int> count = 0;
  const std::string scope = "greedy-" + std::to_string(++count);
  const tests::DaemonAnswer answer =
      target.ask({.method = "POST",
                  .target = "/api/tokens",
                  .body = {{"scope", scope}, {"can", "read,run,cancel"}, {"ttl", "1h"}}});
  return {scope, "Authorization: Bearer " + tests::text_of(answer.body, "token") + "\r\n"};
}

std::string submission(const Greedy& token, boost::json::object fields) {
  fields["command"] = boost::json::array{"/bin/true"};
  fields["cwd"] = "/";
  return race::request_of("POST", "/api/runs", boost::json::serialize(fields), token.bearer);
}

std::vector<int> send(Target& target, const std::string& requests, size_t count) {
  return pipeline(connect_to(target.flock.home().socket()), requests, count);
}

// Repeats the request while the disk is full: then queued runs cannot be canceled, and the answer
// says so.
void cancel_all(Target& target, const Greedy& token) {
  wait_until("all runs of the token are canceled", [&] {
    const auto answer =
        target.ask({.method = "POST", .target = "/api/cancel", .body = {{"scope", token.scope}}});
    const boost::json::value* outcomes = answer.body.if_contains("outcomes");
    return answer.status == 200 && outcomes != nullptr && !outcomes->as_object().contains("failed");
  });
  target.wait_for_rest(token.scope);
}

void all_runs(Target& target, tests::SeededRandom&) {
  const Greedy token = greedy(target);
  // Nothing runs in its lane.
  const std::string lane = token.scope;
  (void)target.ask(
      {.method = "PUT", .target = "/api/lanes/" + lane, .body = {{"limit", 1}, {"paused", true}}});
  std::string share;
  const std::string one = submission(token, {{"lane", lane}});
  constexpr size_t kShare = limits::kQuotaRunsMax / kConnections + kRefusedBeyond;
  for (size_t i = 0; i < kShare; ++i) share += one;
  std::atomic<std::int64_t> accepted = 0;
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < kConnections; ++i) {
      all.emplace_back([&] { accepted += std::ranges::count(send(target, share, kShare), 202); });
    }
  }
  EXPECT_LE(accepted, limits::kQuotaRunsMax);
  cancel_all(target, token);
  (void)target.ask({.method = "DELETE", .target = "/api/lanes/" + lane});
}

void all_lanes(Target& target, tests::SeededRandom&) {
  const Greedy token = greedy(target);
  std::string all;
  constexpr size_t kCount = limits::kQuotaLanesMax + kRefusedBeyond;
  for (size_t i = 0; i < kCount; ++i) {
    all += submission(token, {{"lane", token.scope + "." + std::to_string(i)}});
  }
  const std::vector<int> statuses = send(target, all, kCount);
  EXPECT_LE(std::ranges::count(statuses, 202), limits::kQuotaLanesMax);
  cancel_all(target, token);
  for (size_t i = 0; i < kCount; ++i) {
    (void)target.ask(
        {.method = "DELETE", .target = "/api/lanes/" + token.scope + "." + std::to_string(i)});
  }
}

void priority(Target& target, tests::SeededRandom& random) {
  const Greedy token = greedy(target);
  const std::string one = submission(token, {{"priority", 1 + random.below(limits::kPriorityMax)}});
  const std::vector<int> statuses = send(target, one, 1);
  EXPECT_EQ(std::ranges::count(statuses, 202), 0);
}

void all_streams(Target& target, tests::SeededRandom& random) {
  const Greedy token = greedy(target);
  const std::string follow = race::request_of("GET", "/api/events?follow=true", "", token.bearer);
  std::vector<Fd> all;
  for (size_t i = 0; i < limits::kQuotaStreamsMax + kRefusedBeyond; ++i) {
    all.push_back(connect_to(target.flock.home().socket()));
    say(all.back(), follow);
  }
  pause_ms(random.below(200));
}

constexpr auto kAll = std::to_array<Attack>({
    {"a thousand runs of a token", all_runs},
    {"lanes of a token", all_lanes},
    {"priority of a token", priority},
    {"streams of a token", all_streams},
});

}  // namespace

std::span<const Attack> greedy_tokens() {
  return kAll;
}

}  // namespace drover::siege
