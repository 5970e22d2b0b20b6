#include "run/record_json.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>

#include "run/event.h"

namespace drover::run {
namespace {

using boost::json::object;
using boost::json::serialize;

Record ended_record() {
  Record r;
  r.id = *RunId::parse("run_01hf7yat00000000000000000z");
  r.trace_id = r.id.trace_id();
  r.kind = "command";
  r.scope = "app/reports";
  r.name = "nightly";
  r.state = State::failed;
  r.reason = Reason::exit_nonzero;
  r.origin = Origin::process;
  r.message = "exited with code 3";
  r.exit_code = 3;
  r.command = {"make", "test"};
  r.cwd = "/src";
  r.labels = {{"team", "infra"}};
  r.lane = "default";
  r.queued_at = 1'794'736'705'000;
  r.started_at = 1'794'736'705'010;
  r.finished_at = 1'794'736'706'123;
  r.cpu_ms = 12;
  r.peak_rss_bytes = 4'096;
  r.stdout_bytes = 7;
  r.stderr_bytes = 8;
  Receipt receipt;
  receipt.killed_names = {"4711 sleep"};
  r.receipt = serialize(describe(receipt));
  r.events = 4;
  return r;
}

// R1: `show --json` contains every field of the contract, also those that are not known yet.
TEST(RecordJson, DescribeHasEveryField) {
  constexpr std::array kFields{"run_id",
                               "trace_id",
                               "kind",
                               "scope",
                               "name",
                               "state",
                               "reason",
                               "origin",
                               "message",
                               "exit_code",
                               "signal",
                               "command",
                               "cwd",
                               "labels",
                               "lane",
                               "attempt",
                               "queued_at",
                               "started_at",
                               "finished_at",
                               "parent_run_id",
                               "cpu_ms",
                               "receipt",
                               "stdout_bytes",
                               "cancel_requested",
                               "peak_rss_bytes",
                               "duration_ms",
                               "stderr_bytes"};
  const object full = describe(ended_record(), only_commands());
  const object empty = describe(Record{}, only_commands());
  for (const char* field : kFields) {
    EXPECT_TRUE(full.contains(field)) << field;
    EXPECT_TRUE(empty.contains(field)) << field;
  }
}

// Each field matches the record, times as RFC 3339 in UTC.
TEST(RecordJson, DescribeSaysWhatTheRecordSays) {
  const object o = describe(ended_record(), only_commands());
  EXPECT_EQ(o.at("run_id").as_string(), "run_01hf7yat00000000000000000z");
  EXPECT_EQ(o.at("trace_id").as_string().size(), 32U);
  EXPECT_EQ(o.at("state").as_string(), "failed");
  EXPECT_EQ(o.at("reason").as_string(), "exit_nonzero");
  EXPECT_EQ(o.at("origin").as_string(), "process");
  EXPECT_EQ(o.at("exit_code").as_int64(), 3);
  EXPECT_TRUE(o.at("signal").is_null());
  EXPECT_EQ(serialize(o.at("command")), R"(["make","test"])");
  EXPECT_EQ(serialize(o.at("labels")), R"({"team":"infra"})");
  EXPECT_EQ(o.at("queued_at").as_string(), "2026-11-15T09:58:25.000Z");
  EXPECT_EQ(o.at("finished_at").as_string(), "2026-11-15T09:58:26.123Z");
  EXPECT_EQ(o.at("duration_ms").as_int64(), 1'113);
  EXPECT_EQ(o.at("receipt").at("killed").at(0).as_string(), "4711 sleep");
  EXPECT_TRUE(o.at("parent_run_id").is_null());
}

// An unknown value is null: never zero, never an empty text.
TEST(RecordJson, UnknownIsNull) {
  const object o = describe(Record{}, only_commands());
  for (const char* field :
       {"reason", "origin", "message", "exit_code", "signal", "name", "started_at", "finished_at",
        "duration_ms", "receipt", "launch_step", "launch_error", "parent_run_id"}) {
    EXPECT_TRUE(o.at(field).is_null()) << field;
  }
}

// H6: a failed launch shows the step and the error by name.
TEST(RecordJson, FailedLaunchesNameStepAndError) {
  Record r = ended_record();
  r.failed_step = LaunchStep::exec;
  r.launch_error = ENOENT;
  for (const object& o : {describe(r, only_commands()), describe_end(r)}) {
    EXPECT_EQ(o.at("launch_step").as_string(), "exec");
    EXPECT_EQ(o.at("launch_error").as_string(), "ENOENT");
  }
}

// H4: the last event alone can answer for a run whose record was deleted.
TEST(RecordJson, TheTerminalEventCarriesTheEnd) {
  const Record r = ended_record();
  const Event event = make_event(EventType::failed, r, r.finished_at);
  EXPECT_TRUE(event.is_final);
  EXPECT_EQ(event.type, "run.failed");
  EXPECT_EQ(event.run_seq, 4);
  EXPECT_EQ(event.scope, "app/reports");
  EXPECT_EQ(event.trace_id, r.trace_id);
  const object data = boost::json::parse(event.data).as_object();
  for (const char* field :
       {"state", "reason", "origin", "message", "exit_code", "signal", "queued_at", "started_at",
        "finished_at", "stdout_bytes", "stderr_bytes", "receipt", "kind"}) {
    ASSERT_TRUE(data.contains(field)) << field;
    EXPECT_EQ(data.at(field), describe(r, only_commands()).at(field)) << field;
  }
}

// The data of each other event: who submitted what, and nothing that an earlier event said.
TEST(RecordJson, OtherEventsCarryTheirPart) {
  const Record r = ended_record();
  const object queued = boost::json::parse(make_event(EventType::queued, r, 1).data).as_object();
  EXPECT_EQ(queued.at("lane").as_string(), "default");
  EXPECT_EQ(serialize(queued.at("command")), R"(["make","test"])");
  EXPECT_EQ(make_event(EventType::started, r, 1).data, "{}");
  EXPECT_EQ(make_event(EventType::deleted, r, 1).data, R"({"state":"failed"})");
}

// Every finished state has its event, and the names follow the states.
TEST(Events, FinalTypesFollowTheStates) {
  for (const State state : kStates) {
    if (!is_finished(state)) continue;
    EXPECT_TRUE(is_finished(final_type(state)));
    EXPECT_EQ(name(final_type(state)), "run." + std::string(name(state)));
  }
  EXPECT_FALSE(is_finished(EventType::deleted));
  EXPECT_FALSE(is_finished(EventType::cancel_requested));
}

}  // namespace
}  // namespace drover::run
