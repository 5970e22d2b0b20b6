// Triggers on events, with the real programs: an event has one entry per trigger, and loops end.
#include <gtest/gtest.h>

#include "tests/triggers/trigger_fixture.h"

namespace drover::tests {
namespace {

// A7: an event of a program starts the runs of the triggers that wait for it, with its payload.
TEST_F(TriggerStory, AnEventFires) {
  add("deploy", {"--on", "deploy.*"}, "echo \"$DROVER_TRIGGER\"");
  const std::string id = flock_.ok({"emit", "deploy.done", "--data", R"({"version": "1.4"})"});
  const auto row = fired("deploy");
  EXPECT_EQ(text_of(row, "event_id"), id);
  flock_.ended(text_of(row, "run_id"));
  EXPECT_NE(flock_.ok({"logs", text_of(row, "run_id")}).find(R"("version":"1.4")"),
            std::string::npos);
  flock_.ok({"emit", "other.thing"});
  EXPECT_EQ(entries("deploy").size(), 1U);
}

// A8: an event that does not pass the filter, or repeats another, is skipped, and the entry says
// why.
TEST_F(TriggerStory, FiltersAndRepetitionsAreNamed) {
  add("picky", {"--on", "deploy.done", "--filter", "payload.size lt 10", "--dedup", "1h"}, "true");
  flock_.ok({"emit", "deploy.done", "--data", R"({"size": 50})"});
  EXPECT_NE(text_of(entry("picky", "skipped"), "reason").find("payload.size lt 10"),
            std::string::npos);
  const std::string first =
      flock_.ok({"emit", "deploy.done", "--data", R"({"size": 5})", "--key", "a"});
  fired("picky");
  flock_.ok({"emit", "deploy.done", "--data", R"({"size": 6})", "--key", "a"});
  flock_.ok({"emit", "deploy.done", "--data", R"({"size": 7})", "--key", "b"});
  while (entries("picky").size() < 4) {
  }
  const auto rows = entries("picky");
  EXPECT_EQ(text_of(rows[1].as_object(), "reason"), "duplicate: of " + first);
}

// A run that fails starts the trigger on failures, and the failure of that run does not start it
// again.
TEST_F(TriggerStory, ALoopIsStopped) {
  add("alarm", {"--on", "run.failed"}, "exit 1");
  flock_.ended(flock_.run("exit 3"));
  const auto row = fired("alarm");
  flock_.ended(text_of(row, "run_id"));
  const auto stopped = entry("alarm", "skipped");
  EXPECT_TRUE(text_of(stopped, "reason").starts_with("loop")) << text_of(stopped, "reason");
  EXPECT_EQ(entries("alarm").size(), 2U);
}

// The same for a run that reports: a trigger on reports is not started by its own.
TEST_F(TriggerStory, ALoopOfReportsIsStopped) {
  add("echo", {"--on", "run.reported"}, "drover report output again");
  flock_.ended(flock_.run("drover report milestone first"));
  const auto row = fired("echo");
  flock_.ended(text_of(row, "run_id"));
  const auto stopped = entry("echo", "skipped");
  EXPECT_TRUE(text_of(stopped, "reason").starts_with("loop")) << text_of(stopped, "reason");
  EXPECT_EQ(entries("echo").size(), 2U);
}

// An event that was accepted has its run from the next daemon, once.
TEST_F(TriggerStory, AnEventOutlivesTheDaemon) {
  add("kept", {"--on", "deploy.done"}, "echo x >> " + flock_.file("runs"));
  flock_.ok({"emit", "deploy.done"});
  flock_.kill_daemon();
  flock_.daemon();
  flock_.ended(text_of(fired("kept"), "run_id"));
  EXPECT_EQ(read(flock_.file("runs")), "x\n");
  EXPECT_EQ(entries("kept").size(), 1U);
  flock_.expect_verified();
}

// A program cannot pretend that a run has failed, and a payload beyond its limit is refused.
TEST_F(TriggerStory, FalseEventsAreRefused) {
  EXPECT_EQ(flock_.drover({"emit", "run.failed"}).code, 2);
  EXPECT_EQ(flock_.drover({"emit", "Bad Type"}).code, 2);
  EXPECT_NE(flock_.drover({"emit", "a.b", "--data", "\"" + std::string(300'000, 'x') + "\""}).code,
            0);
  EXPECT_EQ(flock_.drover({"emit", "a.b", "--data", std::string(10'000, '[')}).code, 2);
}

}  // namespace
}  // namespace drover::tests
