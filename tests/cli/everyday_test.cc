// Conveniences of everyday use: @failed, ps --watch, export, --notify.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <filesystem>

#include "tests/harness.h"
#include "tests/terminal.h"

namespace drover::tests {
namespace {

const std::string kDrover = std::string(DROVER_BIN) + "/drover";

// S1: @failed is the newest run that failed, timed out or was abandoned; a canceled run does not
// count.
TEST(Everyday, FailedIsTheNewestFailedRun) {
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

// S1: `events -n` prints the last events, like `tail`, also with --follow; with a cursor it prints
// the first ones after it.
TEST(Everyday, EventsPrintsTheLastOnes) {
  Flock flock;
  const std::string first = flock.run("true");
  flock.ended(first);
  const std::string second = flock.run(until_file(flock.file("go")));
  flock.wait_for_state(second, "running");
  const std::string last = flock.ok({"events", "-n", "2"});
  EXPECT_EQ(std::ranges::count(last, '\n'), 1) << last;
  EXPECT_EQ(last.find(first), std::string::npos) << last;
  EXPECT_LT(last.find("run.starting"), last.find("run.started")) << last;
  const auto page = flock.json({"events", "--after", "0", "-n", "2"});
  EXPECT_EQ(text_of(page.at("events").as_array()[0].as_object(), "type"), "run.queued");
  EXPECT_EQ(text_of(page.at("events").as_array()[0].as_object(), "run_id"), first);
  // A number above the count, or above a page, prints all.
  EXPECT_EQ(flock.ok({"events", "-n", "5000"}), flock.ok({"events"}));
  auto follower = flock.start({"events", "-f", "-n", "1"});
  follower->wait_for("run.started");
  flock.touch("go");
  follower->wait_for("run.completed");
  follower->signal(SIGTERM);
  const std::string followed = follower->finish().out;
  EXPECT_EQ(std::ranges::count(followed, '\n'), 2) << followed;
  EXPECT_EQ(flock.drover({"events", "-n", "0"}).code, 2);
}

// S1: a name works wherever an id does, if one run has it, or only one of them is active.
TEST(Everyday, AUniqueNameWorksLikeAnId) {
  Flock flock;
  const std::string id = flock.run(until_file(flock.file("go")), {"--name", "nightly build"});
  EXPECT_EQ(text_of(flock.show("nightly build"), "run_id"), id);
  const std::string after = flock.run("true", {"--after", "nightly build"});
  flock.touch("go");
  EXPECT_EQ(flock.drover({"wait", "nightly build"}).code, 0);
  EXPECT_EQ(text_of(flock.ended(after), "state"), "completed");
  const std::string again =
      flock.run("exit 1", {"--name", "flaky", "--retry", "1", "--backoff", "1ms"});
  EXPECT_EQ(flock.drover({"wait", "--final", again}).code, 1);
  const auto latest = flock.show("flaky");
  EXPECT_EQ(text_of(latest, "retry_of"), again);
  const std::string other = flock.run(until_file(flock.file("go2")), {"--name", "nightly build"});
  EXPECT_EQ(text_of(flock.show("nightly build"), "run_id"), other);  // The only active one.
  flock.touch("go2");
  EXPECT_EQ(flock.drover({"wait", other}).code, 0);
  const Output both = flock.drover({"logs", "nightly build"});
  EXPECT_EQ(both.code, 6);
  EXPECT_NE(both.err.find(id), std::string::npos) << both.err;
  EXPECT_NE(both.err.find(other), std::string::npos) << both.err;
}

// S1: inside a run, its own name means a run that it started under that name, also when that one
// has finished; it means the run itself only if there is no other.
TEST(Everyday, ARunDoesNotWaitForItself) {
  Flock flock;
  const std::string drover = flock.programs + "/drover";
  const std::string id = flock.run(
      drover + " show build --json > self; " + drover + " run -d --name build -- true > child; " +
          drover + " wait $(cat child); " + drover + " wait build && " + drover + " cancel build",
      {"--name", "build", "--cwd", flock.file("")});
  const auto end = flock.ended(id);
  EXPECT_EQ(text_of(end, "state"), "completed") << text_of(end, "message");
  EXPECT_NE(read_file(flock.file("self"), 1 << 20).value_or("").find(id), std::string::npos);
}

// S1: `wait --timeout` ends with the exit code of timeout(1), and the run continues.
TEST(Everyday, WaitTimesOut) {
  Flock flock;
  const std::string id = flock.run(until_file(flock.file("go")));
  const Output late = flock.drover({"wait", "--timeout", "1ms", id});
  EXPECT_EQ(late.code, 124);
  EXPECT_NE(late.err.find("has not finished"), std::string::npos) << late.err;
  EXPECT_EQ(flock.drover({"wait", "--timeout", "soon", id}).code, 2);
  flock.touch("go");
  EXPECT_EQ(flock.drover({"wait", "--timeout", "1h", id}).code, 0);
  EXPECT_EQ(flock.drover({"wait", "--timeout", "0ms", id}).code, 0);  // It has finished.
}

// S1: `cancel --all` asks first, and queued runs do not start because running ones end.
TEST(Everyday, CancelAllAsksFirst) {
  Flock flock;
  EXPECT_EQ(flock.drover({"cancel", "--all", "--yes"}).code, 0);
  flock.ok({"lane", "set", "one", "1"});
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(flock.run("sleep 1000", {"--lane", "one"}));
  flock.wait_for_state(ids[0], "running");
  const Output unsure = flock.drover({"cancel", "--all"});
  EXPECT_EQ(unsure.code, 2);
  EXPECT_NE(unsure.err.find("3 runs"), std::string::npos) << unsure.err;
  Terminal no({kDrover, "cancel", "--all"}, flock.environment, flock.file(""));
  no.wait_for("cancel 3 runs? [y/N]");
  no.type("n\r");
  EXPECT_EQ(no.finish(), 0);
  EXPECT_EQ(text_of(flock.show(ids[0]), "state"), "running");
  Terminal yes({kDrover, "cancel", "--all"}, flock.environment, flock.file(""));
  yes.wait_for("[y/N]");
  yes.type("y\r");
  EXPECT_EQ(yes.finish(), 0);
  EXPECT_EQ(yes.drawn().find("already finished"), std::string::npos) << yes.drawn();
  for (const std::string& id : ids) EXPECT_EQ(text_of(flock.show(id), "state"), "canceled");
  EXPECT_EQ(text_of(flock.show(ids[2]), "started_at"), "");
  EXPECT_EQ(flock.drover({"cancel", "--all", ids[0]}).code, 2);
  EXPECT_EQ(flock.drover({"cancel"}).code, 2);
}

// S1: an error names the option as it was typed.
TEST(Everyday, ErrorsNameTheOption) {
  Flock flock;
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--retry", "101"},
                                                        {"--memory", "0"},
                                                        {"--idle-timeout", "soon"},
                                                        {"--lane", "a b"},
                                                        {"--output-limit", "1"},
                                                        {"--priority", "1000"},
                                                        {"--after", "nobody"}}) {
    const Output out = flock.drover({"run", option, value, "--", "true"});
    EXPECT_NE(out.code, 0) << option;
    EXPECT_NE(out.err.find(option), std::string::npos) << option << ": " << out.err;
    EXPECT_EQ(out.err.find("limits."), std::string::npos) << out.err;
  }
}

// S1: `ps --watch` updates in place, survives a restart of the daemon, and ends with Ctrl-C.
TEST(Everyday, PsWatchSurvivesARestart) {
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

// S1: --watch without a terminal is an error.
TEST(Everyday, WatchingNeedsATerminal) {
  Flock flock;
  const Output out = flock.drover({"ps", "--watch"});
  EXPECT_EQ(out.code, 2);
  EXPECT_NE(out.err.find("events --follow"), std::string::npos) << out.err;
}

// S1: `export` prints all matching runs, over several pages, and only those.
TEST(Everyday, ExportPrintsAllMatchingRuns) {
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

// S1: without a desktop, --notify notifies the terminal; the exit code stays the command's own.
TEST(Everyday, NotifyUsesTheTerminalWithoutADesktop) {
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

// S1: with a desktop, --notify calls notify-send; its failure or hanging changes nothing.
TEST(Everyday, NotifyCallsNotifySendOnADesktop) {
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
