// The evidence of a removed run says the same as its events did.
#include "run/remains.h"

#include <gtest/gtest.h>

#include "run/event_data.h"

namespace drover::run {
namespace {

Record finished() {
  Record r;
  r.id = RunId::earliest(1'000);
  r.trace_id = r.id.trace_id();
  r.kind = "command";
  r.scope = "default";
  r.name = "a name";
  r.state = State::failed;
  r.reason = Reason::exit_nonzero;
  r.origin = Origin::process;
  r.message = "exited with code 3";
  r.exit_code = 3;
  r.queued_at = 1'000;
  r.started_at = 2'000;
  r.finished_at = 3'000;
  r.receipt = R"({"signaled":0})";
  return r;
}

std::vector<Event> history(const Record& last) {
  Record r = last;
  std::vector<Event> events;
  for (const EventType type :
       {EventType::queued, EventType::started, EventType::failed, EventType::deleted}) {
    ++r.events;
    const WallMs time = type == EventType::queued    ? r.queued_at
                        : type == EventType::started ? r.started_at
                                                     : r.finished_at;
    events.push_back(make_event(type, r, time));
    events.back().seq = 10 + r.events;
  }
  return events;
}

// It is the final event, at its place in the log, without the name and the receipt.
TEST(Remains, AreTheFinalEvent) {
  const auto events = history(finished());
  const auto remains = remains_of(events);
  ASSERT_TRUE(remains);
  const Event event = final_event(*remains);
  EXPECT_EQ(event.seq, 13);
  EXPECT_EQ(event.run_seq, 3);
  EXPECT_EQ(event.type, "run.failed");
  EXPECT_EQ(event.time, 3'000);
  const Record record = record_of(event);
  EXPECT_EQ(record.exit_code, 3);
  EXPECT_EQ(record.message, "exited with code 3");
  EXPECT_EQ(record.name, "");
  EXPECT_EQ(record.receipt, "");
}

// Events of older versions: what the final event does not say is taken from the others.
TEST(Remains, CompleteAnOldFinalEvent) {
  Record r = finished();
  r.parent_run_id = RunId::earliest(5).str();
  auto events = history(r);
  events[2].data = R"({"state":"failed","reason":"exit_nonzero","origin":"process"})";
  const auto remains = remains_of(events);
  ASSERT_TRUE(remains);
  EXPECT_EQ(remains->record.parent_run_id, r.parent_run_id);
  EXPECT_EQ(remains->record.queued_at, 1'000);
  EXPECT_EQ(remains->record.started_at, 2'000);
}

// Events that a row cannot replace must stay: of an unfinished run, of an unknown kind of end, with
// a reason that this version does not know.
TEST(Remains, AreNothingIfTheyWouldSayLess) {
  const auto events = history(finished());
  EXPECT_FALSE(remains_of({events.data(), 2}));
  auto unknown = events;
  unknown[2].type = "run.evaporated";
  EXPECT_FALSE(remains_of(unknown));
  auto reason = events;
  reason[2].data = R"({"state":"failed","reason":"solar_flare","origin":"process"})";
  EXPECT_FALSE(remains_of(reason));
}

}  // namespace
}  // namespace drover::run
