// Webhooks, with the real programs: a signature decides, and a delivery fires once.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/triggers/trigger_fixture.h"

namespace drover::tests {
namespace {

class HookStory : public TriggerStory {
 protected:
  HookStory() {
    std::ofstream(flock_.file("secret")) << "It's a Secret to Everybody\n";
    ::chmod(flock_.file("secret").c_str(), 0600);
    add("deploy", {"--webhook", "deploy", "--secret-file", flock_.file("secret")},
        "echo \"$DROVER_TRIGGER\"");
  }
  std::string post(const std::string& path, const std::string& headers, const std::string& body) {
    return flock_.http("POST /hooks/" + path + " HTTP/1.1\r\nHost: d\r\nConnection: close\r\n" +
                       headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                       body);
  }
  // The output of `env` in a run that is submitted over HTTP.
  std::string environment_of_a_run() {
    const std::string body = R"({"command":["env"]})";
    const std::string answer = flock_.http(
        "POST /api/runs HTTP/1.1\r\nHost: d\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
    const std::string run = answer.substr(answer.find("run_"), 30);
    flock_.ended(run);
    return flock_.ok({"logs", run});
  }
  static int status_of(const std::string& answer) { return std::stoi(answer.substr(9, 3)); }

  // The example of GitHub's documentation.
  const std::string signature_ =
      "X-Hub-Signature-256: "
      "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17\r\n";
  const std::string body_ = "Hello, World!";
};

// A7: a signed delivery starts a run with its body; the same one again is answered with that run.
TEST_F(HookStory, ADeliveryFiresOnce) {
  const std::string first = post("deploy", signature_, body_);
  EXPECT_EQ(status_of(first), 202) << first;
  const auto row = fired("deploy");
  const std::string run = text_of(row, "run_id");
  EXPECT_NE(first.find(run), std::string::npos) << first;
  const std::string again = post("deploy", signature_, body_);
  EXPECT_EQ(status_of(again), 200) << again;
  EXPECT_NE(again.find(run), std::string::npos) << again;
  EXPECT_EQ(entries("deploy").size(), 1U);
  flock_.ended(run);
  EXPECT_NE(flock_.ok({"logs", run}).find("Hello, World!"), std::string::npos);
  // Another delivery of the same body has an id of its own.
  EXPECT_EQ(status_of(post("deploy", signature_ + "X-GitHub-Delivery: 2\r\n", body_)), 202);
}

// A secret that others can read later, and a directory that does not exist: the daemon refuses the
// deliveries, and every page about the trigger says why.
TEST_F(HookStory, AnUnsafeSecretIsShown) {
  EXPECT_FALSE(flock_.ok({"trigger", "show", "deploy"}).contains("warning"));
  ::chmod(flock_.file("secret").c_str(), 0644);
  EXPECT_EQ(status_of(post("deploy", signature_, body_)), 503);
  const std::string told = "other users can read " + flock_.file("secret");
  EXPECT_TRUE(flock_.ok({"trigger", "show", "deploy"}).contains(told));
  EXPECT_TRUE(flock_.ok({"why", "deploy"}).contains(told));
  EXPECT_TRUE(flock_.drover({"trigger", "ls"}).err.contains(told));
  const Output doctor = flock_.drover({"doctor"});
  EXPECT_EQ(doctor.code, 1);
  EXPECT_TRUE(doctor.out.contains("bad  triggers       deploy: " + told)) << doctor.out;
  add("sync", {"--file", "*.txt", "--root", "/no/such/directory"}, "true");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!flock_.drover({"trigger", "ls"}).err.contains("sync: ")) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "the missing directory is not shown";
  }
  EXPECT_TRUE(flock_.ok({"trigger", "show", "sync"}).contains("/no/such/directory"));
}

// A delivery that a filter skips is listed with the value that the filter read.
TEST_F(HookStory, ASkippedDeliveryShowsItsValue) {
  add("next", {"--on", "deploy.done", "--filter", "payload.ref eq main"}, "true");
  flock_.ok({"emit", "deploy.done", "--data", R"({"ref": "next"})"});
  const auto row = entry("next", "skipped");
  EXPECT_EQ(text_of(row, "value"), "next");
  EXPECT_TRUE(flock_.ok({"why", "next"}).contains("the value is \"next\""));
  EXPECT_TRUE(flock_.ok({"trigger", "history", "next"})
                  .contains("payload.ref is \"next\", not eq \"main\""));
}

// A7: without a valid signature nothing is recorded, also for a caller with a token.
TEST_F(HookStory, TheSignatureDecides) {
  EXPECT_EQ(status_of(post("deploy", "", body_)), 401);
  EXPECT_EQ(status_of(post("deploy", signature_, body_ + "!")), 401);
  const std::string token = flock_.ok({"token", "create", "--can", "read,run"});
  EXPECT_EQ(status_of(post("deploy", "Authorization: Bearer " + token + "\r\n", body_)), 401);
  EXPECT_EQ(status_of(post("other", signature_, body_)), 404);
  EXPECT_EQ(status_of(post("deploy", signature_, std::string(300 * 1024, 'x'))), 413);
  EXPECT_TRUE(entries("deploy").empty());
}

// A secret that others can read is not used, and a stranger does not learn where it is.
TEST_F(HookStory, AnUnsafeSecretIsNotUsed) {
  ::chmod(flock_.file("secret").c_str(), 0644);
  const std::string answer = post("deploy", signature_, body_);
  EXPECT_EQ(status_of(answer), 503) << answer;
  EXPECT_EQ(answer.find(flock_.file("secret")), std::string::npos) << answer;
  EXPECT_TRUE(entries("deploy").empty());
}

// A webhook whose secret file other users can read, or that does not exist, is refused when it is
// added or changed, with the command that fixes it: later, only the log would say so.
TEST_F(HookStory, AnUnsafeSecretIsRefused) {
  ::chmod(flock_.file("secret").c_str(), 0644);
  const std::vector<std::string> with_secret{"--webhook", "other", "--secret-file",
                                             flock_.file("secret")};
  for (std::vector<std::string> words :
       {std::vector<std::string>{"trigger", "add", "other"}, {"trigger", "edit", "deploy"}}) {
    words.insert(words.end(), with_secret.begin(), with_secret.end());
    words.insert(words.end(), {"--", "true"});
    const auto refused = flock_.drover(words);
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_NE(refused.err.find("chmod 600"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(flock_
                .drover({"trigger", "add", "none", "--webhook", "none", "--secret-file",
                         flock_.file("none"), "--", "true"})
                .code,
            2);
  ::chmod(flock_.file("secret").c_str(), 0600);
  EXPECT_EQ(status_of(post("deploy", signature_, body_)), 202);  // The old trigger still works.
}

// A7, R15: a secret in a variable of the daemon verifies deliveries to a path of several segments,
// and reaches no run while a trigger uses it.
TEST_F(HookStory, ASecretInAVariableReachesNoRun) {
  flock_.kill_daemon();
  flock_.environment["SITE_SECRET"] = "It's a Secret to Everybody";
  flock_.daemon();
  flock_.environment.erase("SITE_SECRET");
  add("site", {"--webhook", "github/site", "--secret-env", "SITE_SECRET"}, "env");
  EXPECT_EQ(status_of(post("github/site", signature_, body_)), 202);
  const std::string run = text_of(fired("site"), "run_id");
  flock_.ended(run);
  EXPECT_EQ(flock_.ok({"logs", run}).find("SITE_SECRET"), std::string::npos);
  // A run over HTTP has the daemon's environment, too.
  EXPECT_EQ(environment_of_a_run().find("SITE_SECRET"), std::string::npos);
  flock_.ok({"trigger", "rm", "site"});
  EXPECT_NE(environment_of_a_run().find("SITE_SECRET"), std::string::npos);
}

// A hook path has one trigger and a bounded number of segments; no escape reaches another path.
TEST_F(HookStory, PathsAreExact) {
  const auto add_hook = [&](const std::string& name, const std::string& path) {
    return flock_.drover({"trigger", "add", name, "--webhook", path, "--secret-file",
                          flock_.file("secret"), "--", "true"});
  };
  EXPECT_EQ(add_hook("site", "github/site").code, 0);
  const Output taken = add_hook("other", "github/site");
  EXPECT_EQ(taken.code, 6);
  EXPECT_NE(taken.err.find("the trigger site receives /hooks/github/site"), std::string::npos)
      << taken.err;
  for (const char* bad : {"a//b", "/a", "a/", "a/../b", "a/b/c/d/e/f/g/h/i"}) {
    EXPECT_EQ(add_hook("bad", bad).code, 2) << bad;
  }
  for (const char* other : {"github", "github/", "github/site/", "github//site", "github%2Fsite",
                            "GitHub/site", "deploy/x", ""}) {
    EXPECT_EQ(status_of(post(other, signature_, body_)), 404) << other;
  }
  EXPECT_EQ(status_of(post("github/site", signature_, body_)), 202);
  EXPECT_TRUE(entries("deploy").empty());
}

}  // namespace
}  // namespace drover::tests
