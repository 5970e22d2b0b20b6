#include "run/redact.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/limits.h"
#include "base/text.h"

namespace drover::run {
namespace {

// H3: text in the form of a secret is hidden, and the text around it stays readable.
TEST(Redact, HidesWhatLooksLikeASecret) {
  const std::pair<std::string, std::string> cases[] = {
      {"curl -H 'Authorization: Basic dXNlcjpwYXNz' x", "curl -H 'Authorization: [redacted]' x"},
      {"got Bearer abc.def-123 from", "got Bearer [redacted] from"},
      {"git clone https://ann:hunter2@host/x.git", "git clone https://ann:[redacted]@host/x.git"},
      {"git clone https://tok3n@host/x", "git clone https://[redacted]@host/x"},
      {"postgres://u:p@ss@db:5432/x", "postgres://u:[redacted]@db:5432/x"},
      {"GET /x?key=abc&page=2&access_token=def HTTP",
       "GET /x?key=[redacted]&page=2&access_token="
       "[redacted] HTTP"},
      {"--password=hunter2 --verbose", "--password=[redacted] --verbose"},
      {"mysql --password hunter2 db", "mysql --password [redacted] db"},
      {"curl -u me:hunter2 x", "curl -u me:[redacted] x"},
      {"curl --user 'me:hunter2' x", "curl --user 'me:[redacted]' x"},
      {"curl --proxy-user=me:hunter2", "curl --proxy-user=me:[redacted]"},
      {"API_KEY=\"a b c\" make", "API_KEY=\"[redacted]\" make"},
      {R"({"client_secret": "xyz", "n": 1})", R"({"client_secret": "[redacted]", "n": 1})"},
      {"use sk-" + std::string(24, 'x') + " now", "use [redacted] now"},
      {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]"},
      {"xoxb-1234567890-abcdef,", "[redacted],"},
      {"AKIAIOSFODNN7EXAMPLE", "[redacted]"},
      {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln x", "[redacted] x"},
      {"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb",
       "a\n[redacted]\nb"},
      {"-----BEGIN PRIVATE KEY-----\nMIIE", "[redacted]"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(redact(text), want);
}

// Harmless text is unchanged.
TEST(Redact, KeepsHarmlessText) {
  for (const std::string text :
       {"make -j4 test", "sudo -u me make a:b", "sort -u", "--user me x:y",
        "http://host:8080/a?b=c", "unexpected token } in JSON", "monkey=1", "max_tokens=4096",
        "sk-short", "user@host.example", "a public_key=abc", "", "--key"}) {
    EXPECT_EQ(redact(text), text);
  }
}

// Known secret values are hidden wherever they occur; short ones are not, because they would hide
// words.
TEST(Redact, HidesKnownValues) {
  const std::vector<std::string> environment{"DB_PASS=s3cr3t-value", "HOME=/home/ann",
                                             "API_TOKEN=s3cr3t", "PIN_SECRET=1234",
                                             "SECRET_FILE=/run/secrets/x"};
  const auto secrets = secret_values(environment);
  EXPECT_EQ(secrets, (std::vector<std::string>{"s3cr3t-value", "s3cr3t"}));
  EXPECT_EQ(redact("in /home/ann: s3cr3t-value, xs3cr3tx and 1234", secrets),
            "in /home/ann: [redacted], x[redacted]x and 1234");
}

// In a command an option and its secret are two arguments; the result is bounded and valid for
// JSON.
TEST(Redact, HidesTheArgumentAfterItsOption) {
  const std::vector<std::string> argv{"login", "--token", "abc", "-v", "--secret", "--dry", "x"};
  EXPECT_EQ(redact_command(argv), (std::vector<std::string>{"login", "--token", "[redacted]", "-v",
                                                            "--secret", "--dry", "x"}));
  EXPECT_EQ(redact_command(std::vector<std::string>{"curl", "-u", "me:hunter2"}),
            (std::vector<std::string>{"curl", "-u", "me:[redacted]"}));
  const auto many = redact_command(std::vector<std::string>(9000, "argument\xff"));
  size_t bytes = 0;
  for (const std::string& argument : many) {
    EXPECT_TRUE(is_utf8(argument));
    bytes += argument.size();
  }
  EXPECT_LE(bytes, limits::kCommandSummaryBytesMax + 8);
  EXPECT_EQ(redact_command(std::vector<std::string>{"true"}), std::vector<std::string>{"true"});
}

// A known secret is never shown, whatever the text is.
RC_GTEST_PROP(Redact, NeverShowsAKnownSecret,
              (const std::string& before, const std::string& after)) {
  const std::vector<std::string> secrets{"hunter2hunter2"};
  const std::string once = redact(before + secrets[0] + after, secrets);
  RC_ASSERT(once.find(secrets[0]) == std::string::npos);
}

// Linear: a text that would cause quadratic rescanning takes no noticeable time.
TEST(Redact, IsNotSlowedByRepetition) {
  for (const std::string piece : {"://", "token=", "-----BEGIN ", "Bearer ", "a-", "@:"}) {
    std::string text;
    while (text.size() < 400'000) text += piece;
    EXPECT_FALSE(redact(text).empty());
  }
}

}  // namespace
}  // namespace drover::run
