#include "triggers/hooks/signature.h"

#include <gtest/gtest.h>

#include <map>

#include "triggers/hooks/limits.h"

namespace drover::triggers {
namespace {

// The requests that GitHub's documentation and the specification of Standard Webhooks publish.
constexpr auto kGithubSecret = "It's a Secret to Everybody";
constexpr auto kGithubBody = "Hello, World!";
constexpr auto kGithubHex = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
constexpr auto kStandardSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr auto kStandardBody = R"({"test": 2432232314})";
constexpr auto kStandardId = "msg_p5jXN8AQM9LWM0D4loKWxJek";
constexpr auto kStandardTimestamp = "1614265330";
constexpr auto kStandardSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
constexpr WallMs kStandardTime = 1'614'265'330'000;

class Signature : public ::testing::Test {
 protected:
  void use_github() {
    headers.insert({"x-hub-signature-256", std::string("sha256=") + kGithubHex});
    body = kGithubBody;
    secrets = {kGithubSecret};
  }
  void use_standard() {
    headers.insert({"webhook-id", kStandardId});
    headers.insert({"webhook-timestamp", kStandardTimestamp});
    headers.insert({"webhook-signature", kStandardSignature});
    body = kStandardBody;
    secrets = {kStandardSecret};
  }
  void set(const std::string& header, const std::string& value) {
    headers.erase(header);
    headers.insert({header, value});
  }
  Result<HookIdentity> verify() const {
    const auto lookup = [this](std::string_view name) {
      std::vector<std::string_view> out;
      const auto [begin, end] = headers.equal_range(std::string(name));
      for (auto at = begin; at != end; ++at) out.push_back(at->second);
      return out;
    };
    return verify_hook({.headers = lookup, .body = body, .now = now}, secrets);
  }
  // The replay key, or the reason of the refusal.
  std::string outcome() const {
    const auto identity = verify();
    return identity ? identity->replay_key : identity.error().reason;
  }

  std::multimap<std::string, std::string> headers;
  std::string body;
  std::vector<std::string> secrets;
  WallMs now = kStandardTime;
};

// The published requests are accepted.
TEST_F(Signature, AcceptsThePublishedRequests) {
  use_github();
  EXPECT_EQ(verify()->style, HookStyle::github);
  EXPECT_EQ(outcome(), std::string("signature:") + kGithubHex);
  headers.clear();
  use_standard();
  EXPECT_EQ(verify()->style, HookStyle::standard_webhooks);
  EXPECT_EQ(outcome(), std::string("id:") + kStandardId);
}

// X-Signature is hex with or without `sha256=`; upper case is the same signature.
TEST_F(Signature, AcceptsXSignature) {
  body = kGithubBody;
  secrets = {kGithubSecret};
  std::string upper = kGithubHex;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  const std::string hex = kGithubHex;
  const std::vector<std::string> forms = {hex, upper, "sha256=" + hex, "sha256=" + upper};
  for (const std::string& value : forms) {
    set("x-signature", value);
    EXPECT_EQ(outcome(), std::string("signature:") + kGithubHex) << value;
  }
  EXPECT_EQ(verify()->style, HookStyle::x_signature);
}

// A signature over other bytes, or by another secret, is refused.
TEST_F(Signature, RefusesForgeries) {
  use_github();
  body += " ";
  EXPECT_EQ(outcome(), "signature_invalid");
  body = kGithubBody;
  secrets = {"another"};
  EXPECT_EQ(outcome(), "signature_invalid");
  headers.clear();
  use_standard();
  set("webhook-id", "msg_other");
  EXPECT_EQ(outcome(), "signature_invalid");
  set("webhook-id", kStandardId);
  set("webhook-timestamp", "1614265331");
  EXPECT_EQ(outcome(), "signature_invalid");
  set("webhook-timestamp", kStandardTimestamp);
  body = R"({"test":2432232314})";
  EXPECT_EQ(outcome(), "signature_invalid");
}

// Any of the secrets, and any signature of the list, is enough: secrets can be rotated.
TEST_F(Signature, AcceptsRotatedSecrets) {
  use_github();
  secrets = {"old", kGithubSecret};
  EXPECT_TRUE(verify());
  headers.clear();
  use_standard();
  secrets = {"whsec_b2xk", "plain", kStandardSecret};
  set("webhook-signature", std::string("v1a,AAAA v1,AAAA= ") + kStandardSignature + " v2,x");
  EXPECT_TRUE(verify());
}

// Without a usable secret nothing is accepted, not even an HMAC with the empty key.
TEST_F(Signature, RefusesEverythingWithoutASecret) {
  use_github();
  // HMAC-SHA256 of the body with the empty key.
  set("x-hub-signature-256",
      "sha256=2bbcfa9524f3218c7a34b30e6936f8b1a4516cb097f1a85a1c7d98b5977ec769");
  for (const std::vector<std::string>& none : {std::vector<std::string>{}, {""}, {"", ""}}) {
    secrets = none;
    EXPECT_EQ(outcome(), "no_secret");
  }
  secrets = {"", "x"};
  EXPECT_EQ(outcome(), "signature_invalid");
  headers.clear();
  use_standard();
  for (const char* malformed : {"whsec_", "whsec_!!!!", "whsec_a"}) {
    secrets = {malformed};
    EXPECT_EQ(outcome(), "signature_invalid") << malformed;
    EXPECT_TRUE(is_malformed_secret(malformed)) << malformed;
  }
  EXPECT_FALSE(is_malformed_secret(kStandardSecret));
  EXPECT_FALSE(is_malformed_secret("plain"));
}

// Each missing part has its reason.
TEST_F(Signature, SaysWhichPartIsMissing) {
  body = kGithubBody;
  secrets = {kGithubSecret};
  EXPECT_EQ(outcome(), "signature_missing");
  headers.insert({"x-hub-signature", "sha1=0000"});
  EXPECT_EQ(outcome(), "signature_missing");
  use_standard();
  headers.erase("webhook-timestamp");
  EXPECT_EQ(outcome(), "timestamp_missing");
  for (const char* bad : {"", "x", "-1614265330", "+1614265330", "1614265330.0", " 1614265330",
                          "16142653300000000000000", "0x60"}) {
    set("webhook-timestamp", bad);
    EXPECT_EQ(outcome(), "timestamp_missing") << bad;
  }
  set("webhook-timestamp", kStandardTimestamp);
  headers.erase("webhook-id");
  EXPECT_EQ(outcome(), "signature_missing");
}

// A timestamp may be five minutes from now, in both directions, and not more.
TEST_F(Signature, LimitsTheAgeOfATimestamp) {
  use_standard();
  for (const int sign : {-1, 1}) {
    now = kStandardTime + sign * kHookToleranceMs;
    EXPECT_TRUE(verify());
    now += sign;
    EXPECT_EQ(outcome(), "timestamp_out_of_tolerance");
  }
}

// A signature in another form than its style has is refused, also if a proxy joined two headers.
TEST_F(Signature, RefusesOtherForms) {
  use_github();
  const std::string hex = kGithubHex;
  const std::string good = "sha256=" + hex;
  const std::vector<std::string> not_github = {"",
                                               hex,
                                               "sha256=",
                                               "sha1=" + hex,
                                               "SHA256=" + hex,
                                               "sha256=" + good,
                                               " " + good,
                                               good + " ",
                                               good + "0",
                                               good + "," + good,
                                               good + ", " + good,
                                               good + "\r\n " + good,
                                               good.substr(0, 70),
                                               "sha256=" + std::string(64, 'g')};
  for (const std::string& bad : not_github) {
    set("x-hub-signature-256", bad);
    EXPECT_EQ(outcome(), "signature_invalid") << bad;
  }
  headers.clear();
  use_standard();
  const std::string standard = kStandardSignature;
  const std::string base64 = standard.substr(3);
  const std::vector<std::string> not_standard = {"",
                                                 "v1,",
                                                 base64,
                                                 "v1a," + base64,
                                                 "V1," + base64,
                                                 "v1, " + base64,
                                                 standard + "," + standard,
                                                 standard + ", x",
                                                 standard + "\r\n",
                                                 standard.substr(0, 46)};
  for (const std::string& bad : not_standard) {
    set("webhook-signature", bad);
    EXPECT_EQ(outcome(), "signature_invalid") << bad;
  }
}

// A repeated header is refused, even if one of its values, or both, are right.
TEST_F(Signature, RefusesRepeatedHeaders) {
  use_github();
  headers.insert({"x-hub-signature-256", std::string("sha256=") + kGithubHex});
  EXPECT_EQ(outcome(), "signature_invalid");
  for (const char* header : {"webhook-id", "webhook-timestamp", "webhook-signature"}) {
    headers.clear();
    use_standard();
    headers.insert({header, headers.find(header)->second});
    EXPECT_EQ(outcome(), "signature_invalid") << header;
  }
  headers.clear();
  use_github();
  headers.insert({"x-github-delivery", "a"});
  headers.insert({"x-github-delivery", "b"});
  EXPECT_EQ(outcome(), "signature_invalid");
}

// The first style decides: a wrong signature is not saved by a right one in another style.
TEST_F(Signature, LetsTheFirstStyleDecide) {
  use_github();
  headers.insert({"x-signature", "nonsense of another program"});
  EXPECT_TRUE(verify());
  headers.insert({"webhook-signature", "v1,AAAA"});
  headers.insert({"webhook-id", "a"});
  headers.insert({"webhook-timestamp", kStandardTimestamp});
  EXPECT_EQ(outcome(), "signature_invalid");
}

// The replay key is the sender's id, else the id of GitHub's delivery, else the signature.
TEST_F(Signature, FindsTheReplayKey) {
  use_github();
  set("x-github-delivery", "");
  EXPECT_EQ(outcome(), std::string("signature:") + kGithubHex);
  set("x-github-delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958");
  EXPECT_EQ(outcome(), "delivery:72d3162e-cc78-11e3-81ab-4c9367dc0958");
  set("webhook-id", "msg_1");
  EXPECT_EQ(outcome(), "id:msg_1");
  for (const std::string& bad :
       {std::string("a b"), std::string("a\n"), std::string(kHookIdBytesMax + 1, 'x')}) {
    set("webhook-id", bad);
    EXPECT_EQ(outcome(), "signature_invalid") << bad;
  }
}

// An id with a dot would make the signed text ambiguous; a list without end is not searched.
TEST_F(Signature, RefusesAmbiguousIdsAndLongLists) {
  use_standard();
  // A right signature over `msg.1.1614265330.` and the body.
  set("webhook-id", "msg.1");
  set("webhook-signature", "v1,g84Fr48iNUfeALcCN2LRQhSXJZ7Hs8lJ7kFx76VJCDU=");
  EXPECT_EQ(outcome(), "signature_invalid");
  set("webhook-id", kStandardId);
  std::string list;
  for (size_t i = 0; i < kHookSignaturesMax; ++i) list += "v1,AAAA ";
  set("webhook-signature", list + kStandardSignature);
  EXPECT_EQ(outcome(), "signature_invalid");
}

// No error contains a secret.
TEST_F(Signature, KeepsSecretsOutOfErrors) {
  use_github();
  secrets = {"top-secret-value", "whsec_top-secret-value"};
  EXPECT_FALSE(verify().error().message.contains("top-secret"));
  use_standard();
  secrets = {"top-secret-value", "whsec_top-secret-value"};
  EXPECT_FALSE(verify().error().message.contains("top-secret"));
}

}  // namespace
}  // namespace drover::triggers
