// The example examples/deploy-on-push, with the real git, openssl and curl: a push deploys.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/triggers/trigger_fixture.h"

namespace drover::tests {
namespace {

class PushStory : public TriggerStory {
 protected:
  PushStory() {
    flock_.environment["DROVER_LISTEN"] = "127.0.0.1:0";
    flock_.environment["PATH"] = flock_.programs + ":" + std::getenv("PATH");
    flock_.environment["GIT_CONFIG_GLOBAL"] = "/dev/null";
    for (const char* name : {"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"}) {
      flock_.environment[name] = "Ann";
    }
    for (const char* name : {"GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"}) {
      flock_.environment[name] = "ann@example.org";
    }
    flock_.daemon();
    call({DROVER_EXAMPLES "/deploy-on-push/setup.sh", directory_});
    call({"git", "init", "-q", "-b", "main", work_});
  }
  Output call(std::vector<std::string> argv) {
    argv.insert(argv.begin(), "/usr/bin/env");  // Searches the PATH.
    Output output = Started(argv, flock_.environment, "", flock_.file("")).finish();
    EXPECT_EQ(output.code, 0) << argv[1] << output.out << output.err;
    return output;
  }
  // Commits index.html with this text, and pushes it to a branch. Returns what git prints.
  std::string push(const std::string& text, const std::string& branch) {
    std::ofstream(work_ + "/index.html") << text;
    call({"git", "-C", work_, "add", "index.html"});
    call({"git", "-C", work_, "commit", "-qm", text});
    return call({"git", "-C", work_, "push", directory_ + "/site.git", "HEAD:refs/heads/" + branch})
        .err;
  }

  const std::string directory_ = flock_.file("deploy");
  const std::string work_ = flock_.file("work");
};

// A7: a push to main deploys the pushed files; a push to another branch is skipped by the filter.
TEST_F(PushStory, APushDeploys) {
  const std::string said = push("hello", "main");
  EXPECT_NE(said.find("posted refs/heads/main"), std::string::npos) << said;
  const std::string run = text_of(fired("site"), "run_id");
  EXPECT_EQ(text_of(flock_.ended(run), "state"), "completed") << flock_.ok({"logs", run});
  EXPECT_EQ(read(directory_ + "/site/index.html"), "hello");
  push("draft", "draft");
  EXPECT_NE(text_of(entry("site", "skipped"), "reason").find("payload.ref"), std::string::npos);
  EXPECT_EQ(read(directory_ + "/site/index.html"), "hello");
}

// A7: a hook that signs with another secret is refused, and git shows it.
TEST_F(PushStory, AnotherSecretIsRefused) {
  std::ofstream(flock_.file("other")) << "another secret\n";
  call({"git", "-C", directory_ + "/site.git", "config", "drover.secret", flock_.file("other")});
  const std::string said = push("hello", "main");
  EXPECT_NE(said.find("401"), std::string::npos) << said;
  EXPECT_TRUE(entries("site").empty());
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/site/index.html"));
}

}  // namespace
}  // namespace drover::tests
