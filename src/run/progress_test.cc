#include "run/progress.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "base/limits.h"
#include "run/record_json.h"
#include "run/transition.h"

namespace drover::run {
namespace {

namespace json = boost::json;

Record in_state(State state) {
  Record record;
  record.id = *RunId::parse("run_01hf7yat00000000000000000z");
  record.kind = kCommand;
  record.events = 3;
  record.started_at = 5;
  for (const Happening happening : {Happening::claimed, Happening::started, Happening::completed}) {
    if (record.state == state) break;
    EXPECT_TRUE(step(record, happening));
  }
  return record;
}

// Steps give the percentage; numbers that make no sense are refused, with the name of the field.
TEST(Progress, IsValidated) {
  EXPECT_EQ(validated({.done = 1, .total = 3})->percent, 33);
  EXPECT_EQ(validated({.done = INT64_MAX, .total = INT64_MAX})->percent, 100);
  EXPECT_EQ(validated({.percent = 5, .done = 1, .total = 3})->percent, 5);
  EXPECT_FALSE(validated({.done = 7})->percent);
  const auto param = [](SaidProgress said) {
    const auto refused = validated(std::move(said));
    return refused ? "accepted" : refused.error().param;
  };
  EXPECT_EQ(param({}), "percent");
  EXPECT_EQ(param({.percent = 101}), "percent");
  EXPECT_EQ(param({.done = 4, .total = 3}), "done");
  EXPECT_EQ(param({.total = 3}), "done");
  EXPECT_EQ(param({.done = 0, .total = 0}), "total");
  EXPECT_EQ(param({.text = std::string(limits::kProgressTextBytesMax + 1, 'x')}), "text");
  EXPECT_EQ(param({.text = std::string(limits::kProgressTextBytesMax, 'x')}), "accepted");
}

// R12: the record keeps the last of each sort, and each report is an event.
TEST(Progress, IsAnEventAndStaysInTheRecord) {
  const Record running = in_state(State::running);
  const auto said =
      apply(&running, Progressed{running.id, SaidProgress{.percent = 40, .text = "linking"}},
            {.wall_ms = 10});
  ASSERT_TRUE(said);
  ASSERT_EQ(said->events.size(), 1u);
  EXPECT_EQ(said->events[0].type, "run.progress");
  EXPECT_EQ(said->events[0].run_seq, 4);
  EXPECT_EQ(said->events[0].data,
            R"({"by":"run","percent":40,"text":"linking","done":null,"total":null})");
  const auto grown =
      apply(&said->after, Progressed{running.id, OutputGrowth{8, 2}}, {.wall_ms = 20});
  ASSERT_TRUE(grown);
  EXPECT_EQ(json::parse(grown->events[0].data),
            json::parse(R"({"by":"output","bytes":8,"lines":2})"));
  const json::value progress = describe(grown->after, only_commands()).at("progress");
  EXPECT_EQ(progress.at("percent"), 40);
  EXPECT_EQ(progress.at("output").at("lines"), 2);
  EXPECT_EQ(output_bytes_in(grown->after.progress), 8);
  EXPECT_FALSE(describe(running, only_commands()).contains("progress"));
}

// R12: only a running run makes progress: its events are in order, and the final one is last.
TEST(Progress, IsRefusedUnlessTheRunIsRunning) {
  for (const State state : {State::queued, State::starting, State::completed}) {
    const Record record = in_state(state);
    const auto refused =
        apply(&record, Progressed{record.id, SaidProgress{.percent = 1}}, {.wall_ms = 10});
    ASSERT_FALSE(refused) << name(state);
    EXPECT_EQ(refused.error().reason, "not_running");
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_FALSE(is_refused_transition(refused.error()));  // Not logged: it is a race.
  }
}

// R12: the last report is recorded with the end, before the final event, even if the start was
// not recorded yet.
TEST(Progress, ComesBeforeTheFinalEvent) {
  const Record starting = in_state(State::starting);
  Ended ended{.id = starting.id, .ending = Exited{0}};
  ended.started_at = 50;
  ended.finished_at = 60;
  ended.progress = SaidProgress{.percent = 100};
  const auto change = apply(&starting, ended, {.wall_ms = 70});
  ASSERT_TRUE(change);
  ASSERT_EQ(change->events.size(), 3u);
  EXPECT_EQ(change->events[0].type, "run.started");
  EXPECT_EQ(change->events[1].type, "run.progress");
  EXPECT_EQ(change->events[2].type, "run.completed");
  EXPECT_EQ(change->events[2].run_seq, 6);
}

}  // namespace
}  // namespace drover::run
