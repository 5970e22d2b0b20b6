// The small comforts: @failed, ps --watch, export, --notify.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <filesystem>

#include "tests/harness.h"
#include "tests/terminal.h"

namespace drover::tests {
namespace {

const std::string kDrover = std::string(DROVER_BIN) + "/drover";

// S1: @failed is the newest run that failed, timed out or was abandoned; a cancel is no failure.
TEST(Everyday, TheLastThatFailed) {
  Flock flock;
  const Output none = flock.drover({"show", "@failed"});
  EXPECT_EQ(none.code, 5);
  EXPECT_NE(none.err.find("no run has failed"), std::string::npos) << none.err;
  const std::string failed = flock.run("exit 3");
  flock.ended(failed);
  flock.ended(flock.run("true"));
  const std::string canceled = flock.run("sleep 1000");
  flock.ok({"cancel", canceled});
  EXPECT_EQ(text_of(flock.show("@failed"), "run_id"), failed);
  const std::string late = flock.run("sleep 1000", {"--timeout", "1ms"});
  flock.ended(late);
  EXPECT_EQ(text_of(flock.show("@failed"), "run_id"), late);
  EXPECT_EQ(text_of(flock.show("@last"), "run_id"), late);
}

// S1: a watched table follows what happens, in its place, survives a restart of the daemon, and
// ends with Ctrl-C.
TEST(Everyday, PsWatch) {
  Flock flock;
  flock.daemon();
  Terminal ps({kDrover, "ps", "--watch"}, flock.environment, flock.file(""), 100);
  ps.wait_for("no runs");
  const std::string id = flock.run(until_file(flock.file("go")));
  ps.wait_for(id);
  ps.wait_for("running");
  flock.kill_daemon();
  flock.daemon();
  flock.touch("go");
  ps.wait_for("completed");
  ps.type("\x03");
  EXPECT_EQ(ps.finish(), 0);
  EXPECT_TRUE(ps.is_cooked());
}

// S1: without a terminal there is nothing to watch on, and that is said.
TEST(Everyday, WatchingNeedsATerminal) {
  Flock flock;
  const Output out = flock.drover({"ps", "--watch"});
  EXPECT_EQ(out.code, 2);
  EXPECT_NE(out.err.find("events --follow"), std::string::npos) << out.err;
}

// S1: everything is exported, over as many pages as it takes, and what was asked for only.
TEST(Everyday, Export) {
  Flock flock;
  std::string inputs;
  for (int i = 1; i <= 1100; ++i) inputs += std::to_string(i) + "\n";
  flock.ok({"run", "--each", "-j", "8", "-l", "team=core", "--", "true"}, inputs);
  const std::string odd = flock.run("exit 3", {"--name", "a,\"b\"\nc"});
  flock.ended(odd);

  const std::string lines = flock.ok({"export"});
  EXPECT_EQ(std::ranges::count(lines, '\n'), 1100);
  const auto first = boost::json::parse(lines.substr(0, lines.find('\n'))).as_object();
  EXPECT_EQ(text_of(first, "run_id"), odd);

  const std::string csv = flock.ok({"export", "--format", "csv", "--state", "failed"});
  EXPECT_TRUE(csv.starts_with("run_id,name,command,")) << csv;
  EXPECT_NE(csv.find(odd + ",\"a,\"\"b\"\"\nc\","), std::string::npos) << csv;
  EXPECT_EQ(csv.find(",completed,"), std::string::npos);

  const std::string some = flock.ok({"export", "--label", "team=core", "--limit", "3"});
  EXPECT_EQ(std::ranges::count(some, '\n'), 2);
  EXPECT_EQ(flock.drover({"export", "--format", "xml"}).code, 2);
}

// S1: without a desktop the terminal is told; the exit code stays the command's own.
TEST(Everyday, NotifyOnATerminal) {
  Flock flock;
  flock.environment["DISPLAY"] = "";
  flock.environment["WAYLAND_DISPLAY"] = "";
  Terminal run({kDrover, "run", "--notify", "--", "/bin/sh", "-c", "exit 3"}, flock.environment,
               flock.file(""));
  run.wait_for("\x1b]9;drover: ");
  run.wait_for("failed (3)");
  EXPECT_EQ(run.finish(), 3);
  const Output out = flock.drover({"run", "--notify", "--", "true"});
  EXPECT_EQ(out.code, 0);
  EXPECT_EQ(out.out + out.err, "");
}

// S1: with a desktop notify-send is called; one that fails or hangs changes nothing.
TEST(Everyday, NotifyOnADesktop) {
  Flock flock;
  std::filesystem::create_directory(flock.file("bin"));
  flock.environment["DISPLAY"] = ":0";
  flock.environment["XDG_RUNTIME_DIR"] = flock.file("");
  flock.environment["PATH"] = flock.file("bin") + ":/usr/bin:/bin";
  for (const std::string& then : {std::string("exit 0"), std::string("exit 7")}) {
    const std::string program = flock.file("bin/notify-send");
    ASSERT_TRUE(
        replace_file(program, "#!/bin/sh\necho \"$@\" > " + flock.file("told") + "\n" + then));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    EXPECT_EQ(flock.drover({"run", "--notify", "--name", "build", "--", "true"}).code, 0);
    const auto told = read_file(flock.file("told"), 1000);
    ASSERT_TRUE(told);
    EXPECT_NE(told->find("build completed"), std::string::npos) << *told;
    std::filesystem::remove(flock.file("told"));
  }
  EXPECT_EQ(flock.drover({"run", "-d", "--notify", "--", "true"}).code, 2);
}

}  // namespace
}  // namespace drover::tests
