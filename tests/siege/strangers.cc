// Callers without a token, over TCP: silent ones, ones that send bytes that are not HTTP, half a
// request, a large body, a forged token. None of them gets anything.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <vector>

#include "tests/siege/attack.h"
#include "tests/siege/connections.h"

namespace drover::siege {
namespace {

constexpr int kCrowdMax = 60;

void crowd(Target& target, tests::SeededRandom& random) {
  const std::string post = "POST /api/runs HTTP/1.1\r\nHost: localhost\r\n";
  const auto words = std::to_array<std::string>({
      "",
      std::string("\0\xff\x16\x03\x01 not HTTP\r\n\r\n", 21),
      post + "Content-Le",
      post + "Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n" +
          std::string(60'000, ' '),
      "GET /api/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer forged\r\n\r\n",
      "GET /api/events?follow=true HTTP/1.1\r\nHost: localhost\r\n\r\n",
  });
  const std::uint16_t port = target.port();
  std::vector<Fd> all;
  for (int left = 1 + random.below(kCrowdMax); left > 0; --left) {
    all.push_back(connect_to(port));
    say(all.back(), words[static_cast<size_t>(random.below(words.size()))]);
  }
  pause_ms(random.below(200));
  for (const Fd& fd : all) {
    char answer[64] = {};
    const ssize_t n = ::recv(fd.get(), answer, sizeof answer - 1, MSG_DONTWAIT);
    if (n > 0) EXPECT_FALSE(std::string_view(answer).starts_with("HTTP/1.1 2")) << answer;
  }
}

constexpr auto kAll = std::to_array<Attack>({{"strangers", crowd}});

}  // namespace

std::span<const Attack> strangers() {
  return kAll;
}

}  // namespace drover::siege
