// Triggers with a schedule, with the real programs: every due time has one entry, whatever happens
// to the daemon.
#include <gtest/gtest.h>

#include "base/clock.h"
#include "tests/triggers/trigger_fixture.h"

namespace drover::tests {
namespace {

// A4, A5: a trigger fires at its time; the run knows why, and the ledger and the run's scope say
// so.
TEST_F(TriggerStory, FiresAtItsTime) {
  flock_.daemon();  // Its start may take longer than that.
  add("soon", {"--at", rfc3339(SystemClock{}.wall_ms() + 1'000)}, "echo \"$DROVER_TRIGGER\"");
  const auto row = fired("soon");
  const std::string run = text_of(row, "run_id");
  flock_.ended(run);
  EXPECT_NE(flock_.ok({"logs", run}).find(R"("trigger":"soon")"), std::string::npos);
  EXPECT_NE(flock_.ok({"logs", run}).find(text_of(row, "slot")), std::string::npos);
  EXPECT_EQ(text_of(flock_.show(run), "scope"), "trigger/soon");
  const boost::json::object status = flock_.json({"show", "--evidence", run});
  EXPECT_EQ(status.at("source"), (boost::json::object{{"kind", "trigger"}, {"id", "soon"}}));
  EXPECT_EQ(text_of(flock_.json({"trigger", "show", "soon"}), "state"), "done");
  EXPECT_EQ(entries("soon").size(), 1U);
}

// A5: a time that passes while no daemon runs fires once, when the next one starts; nothing fires
// twice after another crash.
TEST_F(TriggerStory, AMissedTimeFiresOnce) {
  add("late", {"--at", in_ms(700)}, "echo x >> " + flock_.file("runs"));
  flock_.kill_daemon();
  wait_until_ms(700);
  flock_.daemon();
  const std::string run = text_of(fired("late"), "run_id");
  flock_.ended(run);
  flock_.kill_daemon();
  flock_.daemon();
  // After all that were due before it: whatever this daemon fires again has fired by then.
  add("after", {"--at", rfc3339(SystemClock{}.wall_ms() + 200)}, "true");
  flock_.ended(text_of(fired("after"), "run_id"));
  EXPECT_EQ(entries("late").size(), 1U);
  EXPECT_EQ(read(flock_.file("runs")), "x\n");
  flock_.expect_verified();
}

// A6 of overlaps: while its run is active a trigger skips, and the entry names the reason; with
// `replace` the old run is canceled.
TEST_F(TriggerStory, OverlapsAreDecided) {
  add("slow", {"--every", "1h"}, "sleep 1000");
  const std::string first = flock_.ok({"trigger", "fire", "slow"});
  const Output second = flock_.drover({"trigger", "fire", "slow"});
  EXPECT_EQ(second.code, 6);
  EXPECT_NE(second.err.find(first), std::string::npos) << second.err;
  EXPECT_EQ(text_of(entries("slow")[0].as_object(), "outcome"), "skipped");
  flock_.ok({"trigger", "edit", "slow", "--overlap", "replace"});
  const std::string third = flock_.ok({"trigger", "fire", "slow"});
  EXPECT_NE(third, first);
  EXPECT_EQ(text_of(flock_.ended(first), "state"), "canceled");
  flock_.wait_for_state(third, "running");
  flock_.ok({"trigger", "edit", "slow", "--overlap", "queue"});
  const std::string fourth = flock_.ok({"trigger", "fire", "slow"});
  EXPECT_EQ(text_of(flock_.show(fourth), "state"), "queued");
  flock_.ok({"cancel", third});
  flock_.wait_for_state(fourth, "running");
}

// R15: the values of a trigger's variables reach its runs, and are shown nowhere.
TEST_F(TriggerStory, VariablesAreSecret) {
  flock_.ok({"trigger", "add", "quiet", "--every", "1h", "-e", "KEY=tr1gger-s3cret", "--shell",
             "--", "test \"$KEY\" = tr1gger-s3cret || exit 9; echo tr1gger-s3cret > /dev/null"});
  const std::string run = flock_.ok({"trigger", "fire", "quiet"});
  EXPECT_EQ(text_of(flock_.ended(run), "state"), "completed");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"trigger", "show", "quiet", "--json"},
        {"trigger", "show", "quiet"},
        {"trigger", "ls"},
        {"trigger", "history", "quiet", "--json"},
        {"show", run, "--json"},
        {"events", "--json"}}) {
    EXPECT_EQ(flock_.ok(words).find("tr1gger-s3cret"), std::string::npos) << words[1];
  }
  flock_.ok({"trigger", "rm", "quiet"});
  EXPECT_FALSE(std::filesystem::exists(flock_.home().state + "/triggers/quiet.env"));
}

// A5: bad schedules are refused with the option and the fix, and leave nothing.
TEST_F(TriggerStory, BadSchedulesAreRefused) {
  struct Case {
    std::vector<std::string> options;
    std::string says;
  };
  for (const Case& bad : std::vector<Case>{
           {{"--cron", "0 0 30 2 *"}, "never comes"},
           {{"--cron", "61 * * * *"}, "minute"},
           {{"--cron", "* * * *"}, "field"},
           {{"--cron", "0 3 * * *", "--tz", "Europe/Berln"}, "Europe/Berlin"},
           {{"--every", "5s"}, "10s"},
           {{"--every", "5"}, "unit"},
           {{"--at", "2001-01-01T00:00:00Z"}, "has passed"},
           {{"--every", "1h", "--cron", "@daily"}, "cannot be combined"},
           {{"--every", "1h", "--filter", "a eq 1"}, "events"},
           {{"--on", "run.failed", "--missed", "skip"}, "schedule"},
           {{"--every", "1h", "--overlap", "maybe"}, "overlap"},
           {{"--on", "*"}, "--on"},
       }) {
    std::vector<std::string> words{"trigger", "add", "bad"};
    words.insert(words.end(), bad.options.begin(), bad.options.end());
    words.insert(words.end(), {"--", "true"});
    const Output output = flock_.drover(words);
    EXPECT_EQ(output.code, 2) << bad.options[1] << output.err;
    EXPECT_NE(output.err.find(bad.says), std::string::npos) << bad.options[1] << output.err;
  }
  EXPECT_TRUE(flock_.json({"trigger", "ls"}).at("triggers").as_array().empty());
}

// A paused trigger does not fire, and the times that pass are one entry.
TEST_F(TriggerStory, PausedTimesAreAccountedFor) {
  add("calm", {"--every", "1h"}, "true");
  flock_.ok({"trigger", "pause", "calm"});
  EXPECT_EQ(text_of(flock_.json({"trigger", "show", "calm"}), "state"), "paused");
  flock_.ok({"trigger", "resume", "calm"});
  EXPECT_EQ(text_of(flock_.json({"trigger", "show", "calm"}), "state"), "active");
  flock_.ok({"trigger", "rm", "calm"});
  EXPECT_EQ(flock_.drover({"trigger", "show", "calm"}).code, 5);
}

}  // namespace
}  // namespace drover::tests
