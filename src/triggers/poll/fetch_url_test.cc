#include "triggers/poll/fetch_url.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

std::string reason_of(std::string_view text, bool allow_private = false) {
  const auto url = parse_fetch_url(text, allow_private);
  if (!url) EXPECT_EQ(url.error().param, "url");
  return url ? "" : url.error().reason;
}

// Ordinary URLs pass; the fragment, which no server sees, is dropped.
TEST(FetchUrl, AcceptsHttp) {
  for (const char* text :
       {"http://example.org", "https://example.org/a?b=c&d", "HTTP://EXAMPLE.org/",
        "https://example.org:8443/ü", "http://1.1.1.1/", "http://[2606:4700::1]/"}) {
    EXPECT_EQ(reason_of(text), "") << text;
  }
  EXPECT_EQ(parse_fetch_url("http://EXAMPLE.org/a#b", false)->text, "http://EXAMPLE.org/a");
  EXPECT_EQ(parse_fetch_url("http://EXAMPLE.org:80/a", false)->host, "example.org");
  EXPECT_EQ(parse_fetch_url("http://[2606:4700::1]:80/", false)->host, "2606:4700::1");
}

// Other schemes, users, passwords and broken URLs are refused, without repeating the password.
TEST(FetchUrl, RefusesOthers) {
  for (const char* text : {"",
                           "example.org",
                           "/a",
                           "//example.org",
                           "file:///etc/passwd",
                           "ftp://example.org/",
                           "gopher://x/",
                           "javascript:alert(1)",
                           "data:text/xml,x",
                           "http://",

                           "http://u@example.org/",
                           "http://u:secret@example.org/",
                           "http://:secret@example.org/",
                           "http://example.org:99999/",
                           "http://a b/",
                           "http://example.org/\r\nX: y",
                           "http://[::1/",
                           "http://x/\x7f",
                           "dict://x/",
                           "unix:///run/x.sock"}) {
    EXPECT_EQ(reason_of(text), "invalid_value") << text;
  }
  EXPECT_EQ(parse_fetch_url("http://u:secret@x/", false).error().message.find("secret"),
            std::string::npos);
  EXPECT_EQ(reason_of("http://x/" + std::string(kFetchUrlBytesMax, 'a')), "invalid_value");
}

// A private address is refused in all its spellings, unless the trigger allows it.
TEST(FetchUrl, RefusesPrivateAddresses) {
  for (const char* text :
       {"http://127.0.0.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.1/",
        "http://127.1/", "http://0/", "http://169.254.169.254/latest/meta-data", "http://[::1]/",
        "http://[::ffff:10.0.0.1]/", "http://10.0.0.1:8080/", "http://[fd00::1]/"}) {
    EXPECT_EQ(reason_of(text), "address_not_allowed") << text;
    EXPECT_EQ(reason_of(text, true), "") << text;
  }
}

// Any text is refused or becomes a URL that is accepted again.
RC_GTEST_PROP(FetchUrl, SurvivesAnyText, (std::string tail)) {
  const auto url = parse_fetch_url("http://h" + tail, true);
  if (!url) return;
  RC_ASSERT(!url->host.empty());
  RC_ASSERT(parse_fetch_url(url->text, true).has_value());
}

}  // namespace
}  // namespace drover::triggers
