#include "triggers/poll/address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <string>

namespace drover::triggers {
namespace {

sockaddr_storage parsed(const std::string& text) {
  sockaddr_storage out{};
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    std::memcpy(&out, &v4, sizeof v4);
  } else if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    std::memcpy(&out, &v6, sizeof v6);
  } else {
    ADD_FAILURE() << text;
  }
  return out;
}

bool judged(const std::string& text) {
  const sockaddr_storage address = parsed(text);
  return is_public(reinterpret_cast<const sockaddr&>(address));
}

// Every special range is refused at its first and its last address.
TEST(Address, RefusesSpecialRanges) {
  for (const char* text : {"0.0.0.0",
                           "0.255.255.255",
                           "10.0.0.0",
                           "10.255.255.255",
                           "100.64.0.0",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.255.255.255",
                           "169.254.0.0",
                           "169.254.169.254",
                           "169.254.255.255",
                           "172.16.0.0",
                           "172.31.255.255",
                           "192.0.0.1",
                           "192.0.2.1",
                           "192.88.99.1",
                           "192.168.0.0",
                           "192.168.255.255",
                           "198.18.0.0",
                           "198.19.255.255",
                           "198.51.100.1",
                           "203.0.113.1",
                           "224.0.0.1",
                           "239.255.255.255",
                           "240.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "fc00::1",
                           "fd12:3456::1",
                           "fe80::1",
                           "febf::1",
                           "fec0::1",
                           "ff02::1",
                           "100::1",
                           "2001:db8::1",
                           "3fff::1",
                           "2001::1",
                           "2001:2::1",
                           "2001:10::1",
                           "64:ff9b:1::1",
                           "4000::1",
                           "1fff::1",
                           "fd00:ec2::254"}) {
    EXPECT_FALSE(judged(text)) << text;
  }
}

// The neighbors of the special ranges are public.
TEST(Address, AllowsPublicOnes) {
  for (const char* text : {"1.0.0.0",         "1.1.1.1",         "9.255.255.255",
                           "11.0.0.0",        "100.63.255.255",  "100.128.0.0",
                           "126.255.255.255", "128.0.0.0",       "169.253.255.255",
                           "169.255.0.0",     "172.15.255.255",  "172.32.0.0",
                           "192.0.1.0",       "192.167.255.255", "192.169.0.0",
                           "198.17.255.255",  "198.20.0.0",      "223.255.255.255",
                           "2606:4700::1111", "2a00:1450::1",    "2001:4860:4860::8888",
                           "2001:200::1"}) {
    EXPECT_TRUE(judged(text)) << text;
  }
}

// An IPv6 form of an IPv4 address is judged as the IPv4 address.
RC_GTEST_PROP(Address, JudgesEmbeddedAddresses, ()) {
  const auto number = *rc::gen::arbitrary<std::uint32_t>();
  const in_addr v4{.s_addr = htonl(number)};
  char text[INET_ADDRSTRLEN];
  ::inet_ntop(AF_INET, &v4, text, sizeof text);
  const bool plain = judged(text);
  RC_ASSERT(judged(std::string("::ffff:") + text) == plain);
  RC_ASSERT(judged(std::string("::ffff:0:") + text) == plain);
  RC_ASSERT(judged(std::string("64:ff9b::") + text) == plain);
  RC_ASSERT(!judged(std::string("::") + text));
  char six[64];
  std::snprintf(six, sizeof six, "2002:%x:%x::1", number >> 16, number & 0xffff);
  RC_ASSERT(judged(six) == plain);
}

// The forms that attackers use for loopback and for the metadata service.
TEST(Address, RefusesDisguises) {
  for (const char* text : {"::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::10.0.0.1",
                           "2002:7f00:1::", "2002:a9fe:a9fe::1", "::127.0.0.1"}) {
    EXPECT_FALSE(judged(text)) << text;
  }
  EXPECT_TRUE(judged("::ffff:1.1.1.1"));
}

// Other families are not public, and the text of an address is for messages.
TEST(Address, OtherFamiliesAndText) {
  sockaddr other{};
  other.sa_family = AF_UNIX;
  EXPECT_FALSE(is_public(other));
  EXPECT_EQ(address_text(other), "");
  const sockaddr_storage v6 = parsed("2001:db8::1");
  EXPECT_EQ(address_text(reinterpret_cast<const sockaddr&>(v6)), "2001:db8::1");
  const sockaddr_storage v4 = parsed("192.0.2.7");
  EXPECT_EQ(address_text(reinterpret_cast<const sockaddr&>(v4)), "192.0.2.7");
}

}  // namespace
}  // namespace drover::triggers
