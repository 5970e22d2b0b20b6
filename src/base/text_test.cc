#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace drover {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// The oracle: bytes are one character if encoding the code point they stand for gives them back.
std::string encode(std::uint32_t point) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  const auto head = [&](unsigned mark, int shift) {
    return static_cast<char>(mark | (point >> shift));
  };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {head(0xC0, 6), tail(0)};
  if (point < 0x10000) return {head(0xE0, 12), tail(6), tail(0)};
  return {head(0xF0, 18), tail(12), tail(6), tail(0)};
}

bool is_one_character(std::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  std::uint32_t point = bytes.size() == 1 ? byte(0) : byte(0) & (0x7FU >> bytes.size());
  for (size_t i = 1; i < bytes.size(); ++i) point = point << 6 | (byte(i) & 0x3FU);
  const bool exists = point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
  return exists && encode(point) == bytes;
}

bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    size_t size = 1;
    while (size <= std::min<size_t>(4, bytes.size()) && !is_one_character(bytes.substr(0, size))) {
      ++size;
    }
    if (size > std::min<size_t>(4, bytes.size())) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

std::string of(std::initializer_list<unsigned> bytes) {
  std::string text;
  for (const unsigned byte : bytes) text += static_cast<char>(byte);
  return text;
}

// Bytes, mostly ones that begin, continue or nearly are a character.
rc::Gen<std::string> bytes_like_text() {
  const auto piece = rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange<std::uint32_t>(0, 0x110000),
                   [](std::uint32_t p) { return encode(p); }),
      rc::gen::map(rc::gen::inRange(0x20, 0x7F), [](int c) { return std::string(1, char(c)); }),
      rc::gen::map(rc::gen::arbitrary<char>(), [](char c) { return std::string(1, c); }));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string all;
                        for (const std::string& p : pieces) all += p;
                        return all;
                      });
}

// Every sequence of one and two bytes, and every one of three and four with the relevant tails, is
// a character exactly if the oracle says so.
TEST(Utf8, AgreesWithTheOracleOnEverySequence) {
  constexpr std::array<unsigned, 5> kTails{0x7F, 0x80, 0xA5, 0xBF, 0xC0};
  for (unsigned a = 0; a < 256; ++a) {
    ASSERT_EQ(is_utf8(of({a})), is_text(of({a}))) << a;
    for (unsigned b = 0; b < 256; ++b) {
      ASSERT_EQ(is_utf8(of({a, b})), is_text(of({a, b}))) << a << ' ' << b;
      for (const unsigned c : kTails) {
        ASSERT_EQ(is_utf8(of({a, b, c})), is_text(of({a, b, c}))) << a << ' ' << b << ' ' << c;
        for (const unsigned d : kTails) {
          const std::string four = of({a, b, c, d});
          ASSERT_EQ(is_utf8(four), is_text(four)) << a << ' ' << b << ' ' << c << ' ' << d;
        }
      }
    }
  }
}

// The same for random sequences of any length.
RC_GTEST_PROP(Utf8, AgreesWithTheOracle, ()) {
  const std::string text = *bytes_like_text();
  RC_ASSERT(is_utf8(text) == is_text(text));
}

// Bounded text is valid, never too long, never cut within a character, and complete if it fits.
RC_GTEST_PROP(Bounded, NeverExceedsAndNeverCutsACharacter, ()) {
  const std::string text = *bytes_like_text();
  const auto max = *rc::gen::inRange<size_t>(0, 40);
  const std::string out = bounded(text, max);
  RC_ASSERT(out.size() <= max);
  RC_ASSERT(is_text(out));
  if (!is_text(text)) return;
  if (text.size() <= max) {
    RC_ASSERT(out == text);
  } else if (max >= kEllipsis.size()) {
    RC_ASSERT(out.ends_with(kEllipsis));
    RC_ASSERT(text.starts_with(out.substr(0, out.size() - kEllipsis.size())));
  }
}

// The edges: a text that just fits is not cut, one byte more is; without any room the result is
// empty.
TEST(Bounded, CutsExactlyAtTheLimit) {
  EXPECT_EQ(bounded("", 0), "");
  EXPECT_EQ(bounded("abcd", 4), "abcd");
  EXPECT_EQ(bounded("abcde", 4), "a" + std::string(kEllipsis));
  EXPECT_EQ(bounded("äöü", 6), "äöü");
  EXPECT_EQ(bounded("äöüß", 6), "ä" + std::string(kEllipsis));
  EXPECT_EQ(bounded("abcd", 3), kEllipsis);
  EXPECT_EQ(bounded("abc", 2), "");
  EXPECT_EQ(bounded("\xFF", 3), kReplacement);
  EXPECT_EQ(bounded("a\xE2\x82z", 20),
            "a" + std::string(kReplacement) + std::string(kReplacement) + "z");
}

// Base 64 as defined by RFC 4648.
TEST(Base64, FollowsRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(of({0xFB, 0xFF, 0xFE})), "+//+");
}

// Any bytes survive a round trip; a cut or foreign text is refused.
RC_GTEST_PROP(Base64, RoundTrips, (const std::string& bytes)) {
  const auto back = unbase64(base64(bytes));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == bytes);
}

// One value has one text: no stray bits, no missing padding, no other alphabet.
TEST(Base64, RefusesWhatItWouldNotWrite) {
  for (const char* bad :
       {"Zg", "Zg=", "Zh==", "Zm9=", "Z===", "Zm9v=", "Zg==Zg==", "Zm-v", "Zm9\n"}) {
    EXPECT_FALSE(unbase64(bad)) << bad;
  }
}

// Large numbers are read in groups of three digits.
TEST(Text, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(523'288), "523,288");
  EXPECT_EQ(grouped(12'345'678'901), "12,345,678,901");
}

}  // namespace
}  // namespace drover
