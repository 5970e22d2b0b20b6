// The process of a command: the state it starts with, its input and output, and what remains of it.
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <sstream>

#include "tests/harness.h"

namespace drover::tests {
namespace {

class CommandProcess : public ::testing::Test {
 protected:
  // Runs a shell command with this flock's home.
  Output shell(const std::string& script) {
    return Started({"/bin/sh", "-c", script}, flock_.environment, "").finish();
  }
  void expect_nowhere(const std::string& secret) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(flock_.home().state)) {
      if (!entry.is_regular_file()) continue;
      const auto text = read_file(entry.path().string(), 1 << 26);
      ASSERT_TRUE(text);
      EXPECT_EQ(text->find(secret), std::string::npos) << entry.path();
    }
  }
  Flock flock_;
};

// R15: whatever state the daemon was started in, a command has no signal ignored or blocked, only
// its three descriptors open, and its user's umask and descriptor limit.
TEST_F(CommandProcess, StartsWithACleanState) {
  const Output output = shell(
      "umask 027; ulimit -Sn 200; trap '' USR1 PIPE; exec 7< /etc/passwd 9> /dev/null; exec " +
      std::string(DROVER_BIN) +
      "/drover run -- /bin/sh -c 'umask; ulimit -Sn; ls /proc/$$/fd; "
      "exec sed -n /Sig[BI]/p /proc/self/status'");
  const std::string_view seen = output.out;
  EXPECT_TRUE(seen.starts_with("0027\n200\n0\n1\n2\nSigBlk:\t0000000000000000\nSigIgn:\t"))
      << seen << output.err;
  // The C library owns signals 32 and 33, and ignores them in every process that it spawns.
  EXPECT_TRUE(seen.ends_with("00000000\n") || seen.ends_with("80000000\n")) << seen;
}

// If the caller's standard descriptors are closed, no file of ours gets their numbers.
TEST_F(CommandProcess, AClosedDescriptorStaysEmpty) {
  const std::string drover = std::string(DROVER_BIN) + "/drover ";
  EXPECT_EQ(shell(drover + "run -- echo hi <&- >&- 2>&-").code, 0);
  EXPECT_EQ(flock_.ok({"logs", "@last"}), "hi");
  EXPECT_EQ(shell(drover + "run -- sh -c 'exit 3' >&-").code, 3);
}

// R15: a run that a program submits inherits the daemon's environment, without the keys of model
// providers and without variables of Drover.
TEST_F(CommandProcess, DoesNotInheritTheDaemonsKeys) {
  flock_.environment["ANTHROPIC_API_KEY"] = "a key";
  flock_.environment["DROVER_OTHER"] = "ours";
  flock_.environment["ORDINARY"] = "inherited";
  flock_.daemon();
  const std::string body = R"({"command":["/usr/bin/env"],"name":"inheritor"})";
  flock_.http(
      "POST /api/runs HTTP/1.1\r\nHost: d\r\nConnection: close\r\nContent-Type: "
      "application/json\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_EQ(text_of(flock_.ended("inheritor"), "state"), "completed");
  const std::string seen = flock_.ok({"logs", "inheritor"});
  EXPECT_NE(seen.find("ORDINARY=inherited"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("ANTHROPIC_API_KEY"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("DROVER_OTHER"), std::string::npos) << seen;
}

// R7, R15: a command never inherits the mark of another run, or it would be killed with that one.
TEST_F(CommandProcess, DoesNotInheritAnotherRunsMark) {
  const std::string other = flock_.run("exit 0");
  const std::string script = "tr '\\0' '\\n' < /proc/$$/environ | grep ^DROVER_RUN_ID=";
  const std::string seen =
      flock_.ok({"run", "--env", "DROVER_RUN_ID=" + other, "--", "/bin/sh", "-c", script});
  EXPECT_EQ(seen, "DROVER_RUN_ID=" + text_of(flock_.show("@last"), "run_id"));
}

// R11: a long log is printed completely in every format, although its pieces split characters.
TEST_F(CommandProcess, ALongLogIsPrintedCompletely) {
  const std::string id = flock_.run("printf x; yes \xe2\x82\xac | tr -d '\\n' | head -c 9000000");
  flock_.ended(id);
  size_t bytes = 0;
  std::istringstream lines(flock_.drover({"logs", "--json", id}).out);
  for (std::string line; std::getline(lines, line);) {
    const auto chunk = boost::json::parse(line).as_object();
    bytes += chunk.contains("text") ? chunk.at("text").as_string().size() : 0;
  }
  EXPECT_EQ(bytes, 9'000'001U);
}

// R15: the program is searched in every directory of the caller's PATH, in order; files that are
// not executable are skipped.
TEST_F(CommandProcess, ThePathIsSearched) {
  std::filesystem::create_directories(flock_.file("first") + "/tool");  // A directory of that name.
  std::filesystem::create_directories(flock_.file("second"));
  std::filesystem::create_directories(flock_.file("third"));
  ASSERT_TRUE(replace_file(flock_.file("second/tool"), "#!/bin/sh\necho unreadable\n"));
  ASSERT_TRUE(replace_file(flock_.file("third/tool"), "#!/bin/sh\necho third\n"));
  std::filesystem::permissions(flock_.file("second/tool"), std::filesystem::perms::none);
  std::filesystem::permissions(flock_.file("third/tool"), std::filesystem::perms::owner_all);
  const std::string path = "PATH=/no/such/directory:" + flock_.file("first") + ":" +
                           flock_.file("second") + ":" + flock_.file("third") + ":/usr/bin:/bin";
  EXPECT_EQ(flock_.ok({"run", "--env", path, "--", "tool"}), "third");
}

// R5: a command that reads late gets every byte in order; the sender keeps the bytes that do not
// fit.
TEST_F(CommandProcess, ASlowReaderGetsEverything) {
  std::string text;
  for (int i = 0; text.size() < 3'000'000; ++i) text += std::to_string(i) + "\n";
  ASSERT_TRUE(replace_file(flock_.file("text"), text));
  const std::string id = flock_.run("sleep 0.3; cat > " + flock_.file("read"), {"--stdin"});
  EXPECT_EQ(shell("exec " + std::string(DROVER_BIN) + "/drover send --eof " + id + " < " +
                  flock_.file("text"))
                .code,
            0);
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
  EXPECT_TRUE(read_file(flock_.file("read"), 1 << 24).value() == text);
}

// R15: the stored environment is also removed without a keeper: if the run was canceled while
// queued, or its keeper was killed.
TEST_F(CommandProcess, TheEnvironmentIsRemovedWithoutAKeeper) {
  flock_.environment["PLANTED_SECRET"] = "planted-value-4712";
  const std::string lost = flock_.run("sleep 1000", {"--lane", "one"});
  const std::string waiting = flock_.run("exit 0", {"--lane", "one"});
  flock_.wait_for_state(lost, "running");
  flock_.ok({"cancel", waiting});
  ASSERT_EQ(::kill(flock_.keeper_of(lost), SIGKILL), 0);
  EXPECT_EQ(text_of(flock_.ended(lost), "reason"), "keeper_lost");
  flock_.ok({"stop"});  // A daemon that stops has cleaned up.
  expect_nowhere("planted-value-4712");
}

}  // namespace
}  // namespace drover::tests
