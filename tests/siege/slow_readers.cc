// Clients on the socket that request much and read nothing: streams with all output, logs, half a
// request. The run that they read ends all the same.
#include <gtest/gtest.h>

#include <array>
#include <boost/json/array.hpp>
#include <vector>

#include "tests/siege/attack.h"
#include "tests/siege/connections.h"

namespace drover::siege {
namespace {

constexpr int kReadersMax = 16;

void readers(Target& target, tests::SeededRandom& random) {
  const std::string id = target.submit({"/bin/sh", "-c", "seq 1 200000; exit 5"});
  const auto paths = std::to_array<std::string>({
      "/api/runs/" + id + "/events?follow=true&output=true&after=0",
      "/api/runs/" + id + "/logs",
      "/api/events?follow=true&after=0",
      "/api/runs/" + id + "/logs?follow=true",
  });
  std::vector<Fd> all;
  for (int left = 1 + random.below(kReadersMax); left > 0; --left) {
    const std::string& path = paths[static_cast<size_t>(random.below(paths.size()))];
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: d\r\n";
    all.push_back(connect_to(target.flock.home().socket()));
    say(all.back(), random.below(4) == 0 ? request : request + "\r\n");
  }
  pause_ms(random.below(200));
  const tests::DaemonAnswer record = target.ended(id);
  if (!lacked_space(record)) EXPECT_EQ(record.body.at("exit_code"), 5) << record.text;
}

constexpr auto kAll = std::to_array<Attack>({{"slow readers", readers}});

}  // namespace

std::span<const Attack> slow_readers() {
  return kAll;
}

}  // namespace drover::siege
