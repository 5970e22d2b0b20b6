#include "config/listen_address.h"

#include <gtest/gtest.h>

namespace drover::config {
namespace {

// Listen addresses as people write them.
TEST(Listen, ParsesAddresses) {
  EXPECT_EQ(parse_listen("127.0.0.1:80")->port, 80);
  EXPECT_EQ(parse_listen("127.0.0.1")->port, limits::kPort);
  EXPECT_EQ(parse_listen("localhost:1")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen(":8080")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen("[::1]:9")->url(false, 9), "http://[::1]:9");
  EXPECT_EQ(parse_listen("[0:0::1]")->host, "::1");
  for (const char* bad : {"", "x", "1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1",
                          "[::1", "[::1]9", "[::1]:", "[127.0.0.1]:1", "a.b:1", "127.0.0.1:80x"}) {
    EXPECT_FALSE(parse_listen(bad)) << bad;
  }
}

// An address that other machines can reach needs TLS or `insecure`.
TEST(Listen, RefusesExposureWithoutTls) {
  for (const char* loopback : {"127.0.0.1", "127.9.9.9:1", "[::1]:1"}) {
    EXPECT_TRUE(check_exposure(*parse_listen(loopback), false, false)) << loopback;
  }
  for (const char* open : {"0.0.0.0", "[::]", "192.0.2.7:80", "[::ffff:127.0.0.1]:1"}) {
    EXPECT_EQ(check_exposure(*parse_listen(open), false, false).error().reason, "insecure_listen");
    EXPECT_TRUE(check_exposure(*parse_listen(open), true, false));
    EXPECT_TRUE(check_exposure(*parse_listen(open), false, true));
  }
}

}  // namespace
}  // namespace drover::config
