#include "run/redact.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/limits.h"
#include "base/text.h"
#include "testing/secret_shapes.h"

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

// Known secret values are hidden wherever they occur; short ones only where they stand alone,
// because they would hide parts of words.
TEST(Redact, HidesKnownValues) {
  const std::vector<std::string> environment{"DB_PASS=s3cr3t-value", "HOME=/home/ann",
                                             "API_TOKEN=s3cr3t", "PIN_SECRET=1234",
                                             "SECRET_FILE=/run/secrets/x"};
  const Secrets secrets(environment);
  EXPECT_EQ(secrets.values(), (std::vector<std::string>{"s3cr3t-value", "s3cr3t", "1234"}));
  EXPECT_EQ(redact("in /home/ann: s3cr3t-value, xs3cr3tx, 1234 and 12345", secrets),
            "in /home/ann: [redacted], x[redacted]x, [redacted] and 12345");
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

// H3: a secret in a command is hidden, in every form that people use: in the argument list, and in
// a text that quotes the whole command.
TEST(Redact, HidesSecretsInCommands) {
  const std::string secret = "Xk7mQp2vRt9w";
  for (const testing::Argv& shape : testing::commands_with_a_secret()) {
    std::string shown;
    for (const std::string& word : redact_command(testing::with_secret(shape, secret))) {
      shown += word + " ";
    }
    EXPECT_EQ(shown.find(secret.substr(6)), std::string::npos) << shown;
    EXPECT_EQ(shown.find(secret.substr(0, 6)), std::string::npos) << shown;
    EXPECT_NE(shown.find(kRedacted), std::string::npos) << shown;
  }
}

// Ordinary commands stay as they are, as an argument list and as a text.
TEST(Redact, KeepsOrdinaryCommands) {
  for (const testing::Argv& argv : testing::ordinary_commands()) {
    EXPECT_EQ(redact_command(argv), argv);
    std::string text;
    for (const std::string& word : argv) text += (text.empty() ? "" : " ") + word;
    EXPECT_EQ(redact(text), text);
  }
}

// The text around a secret stays readable.
TEST(Redact, HidesNoMoreThanTheSecret) {
  const std::pair<testing::Argv, testing::Argv> cases[] = {
      {{"mysql", "-uroot", "-phunter2", "db"}, {"mysql", "-uroot", "-p[redacted]", "db"}},
      {{"sshpass", "-p", "hunter2", "ssh", "-p", "22", "h"},
       {"sshpass", "-p", "[redacted]", "ssh", "-p", "22", "h"}},
      {{"sh", "-c", "PGPASSWORD=hunter2 psql -h x"},
       {"sh", "-c", "PGPASSWORD=[redacted] psql -h x"}},
      {{"sh", "-c", "mysql -p'a b' db; mkdir -p x"},
       {"sh", "-c", "mysql -p'[redacted]' db; mkdir -p x"}},
      {{"sh", "-c", R"(curl -d "{\"password\": \"x\", \"n\": 1}" h)"},
       {"sh", "-c", R"(curl -d "{\"password\": \"[redacted]\", \"n\": 1}" h)"}},
      {{"psql", "postgres://me:a/b@db.host:5432/x"},
       {"psql", "postgres://me:[redacted]@db.host:5432/x"}},
      {{"pip", "install", "git+https://me:tok@host.example/x@v1"},
       {"pip", "install", "git+https://me:[redacted]@host.example/x@v1"}},
      {{"curl", "-H", "Cookie: a=b; c=d", "http://h"},
       {"curl", "-H", "Cookie: [redacted]", "http://h"}},
  };
  for (const auto& [argv, want] : cases) EXPECT_EQ(redact_command(argv), want);
}

// H3: a known value that the bound on a command's length cuts in two is not shown in part.
TEST(Redact, ShowsNoPieceOfACutValue) {
  const std::string secret = [] {
    std::string out;
    for (int i = 0; out.size() < 3000; ++i) out += "s" + std::to_string(i);
    return out;
  }();
  const Secrets secrets(std::vector<std::string>{"A_SECRET=" + secret});
  const std::vector<std::string> argv{"tool", secret + "." + secret + "." + secret};
  for (const std::string& argument : redact_command(argv, secrets)) {
    EXPECT_EQ(argument.find("s10s11"), std::string::npos) << argument;
  }
}

// A text that was redacted before stays as it is: a retry redacts the stored command again.
TEST(Redact, IsDoneOnce) {
  for (const testing::Argv& shape : testing::commands_with_a_secret()) {
    const std::vector<std::string> once =
        redact_command(testing::with_secret(shape, "Xk7mQp2vRt9w"));
    EXPECT_EQ(redact_command(once), once);
  }
  EXPECT_EQ(redact("TOKEN=[redacted] run"), "TOKEN=[redacted] run");
}

// A known secret is never shown, whatever the text is.
RC_GTEST_PROP(Redact, NeverShowsAKnownSecret,
              (const std::string& before, const std::string& after)) {
  const std::string secret = "hunter2hunter2";
  const Secrets secrets(std::vector<std::string>{"A_SECRET=" + secret});
  const std::string once = redact(before + secret + after, secrets);
  RC_ASSERT(once.find(secret) == std::string::npos);
}

// Linear: a text that would cause quadratic rescanning takes no noticeable time.
TEST(Redact, IsNotSlowedByRepetition) {
  for (const std::string piece : {"://", "token=", "-----BEGIN ", "Bearer ", "a-", "@:", "://a:b/",
                                  "hf_", "a.", "}", "password='", "x\\", "mysql -p", "-u a:"}) {
    std::string text;
    while (text.size() < 400'000) text += piece;
    EXPECT_FALSE(redact(text).empty());
  }
}

}  // namespace
}  // namespace drover::run
