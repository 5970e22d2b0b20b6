// Which part of a record its last event restores.
#include "run/event_data.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <boost/json/serialize.hpp>

#include "run/record_json.h"

namespace drover::run {
namespace {

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000z");
constexpr WallMs kLatest = 4'102'444'800'000;  // 2100.

template <class T>
std::optional<T> maybe(rc::Gen<T> gen) {
  return *rc::gen::arbitrary<bool>() ? std::optional(*gen) : std::nullopt;
}

// A text that an event can contain, or none.
std::string text() {
  return *rc::gen::container<std::string>(rc::gen::inRange('\x01', '\x7f'));
}

// 0: it never happened.
WallMs time() {
  return maybe(rc::gen::inRange<WallMs>(1, kLatest)).value_or(0);
}

Record any_ended() {
  Record r;
  r.id = kId;
  r.trace_id = kId.trace_id();
  r.kind = text();
  r.scope = text();
  r.name = text();
  r.state = *rc::gen::element(State::completed, State::failed, State::canceled, State::timed_out,
                              State::abandoned);
  r.reason =
      maybe(rc::gen::map(rc::gen::inRange(0, 15), [](int i) { return static_cast<Reason>(i); }));
  r.origin =
      maybe(rc::gen::map(rc::gen::inRange(0, 6), [](int i) { return static_cast<Origin>(i); }));
  r.message = text();
  r.exit_code = maybe(rc::gen::inRange(0, 256));
  r.signal = maybe(rc::gen::inRange(1, 65));
  r.failed_step = static_cast<LaunchStep>(*rc::gen::inRange(0, 11));
  r.launch_error = *rc::gen::inRange(0, 35);
  r.queued_at = time();
  r.started_at = time();
  r.finished_at = time();
  r.stdout_bytes = *rc::gen::positive<std::int64_t>();
  r.stderr_bytes = *rc::gen::positive<std::int64_t>();
  r.cancel_requested = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) {
    Receipt receipt;
    receipt.term_at = time();
    receipt.signaled = *rc::gen::inRange(0, 9);
    receipt.killed_names = {text()};
    receipt.limits.cpu_milli = 1'500;
    receipt.usage = UsageRecord{};
    r.receipt = boost::json::serialize(describe(receipt));
  }
  r.parent_run_id = text();
  r.retried_by = text();
  r.events = *rc::gen::inRange<std::int64_t>(2, 1'000);
  return r;
}

Record ended() {
  Record r;
  r.id = kId;
  r.state = State::completed;
  r.exit_code = 0;
  r.started_at = 5;
  return r;
}

// H4: for any finished run, the last event restores every field that it carries, including the
// start time.
RC_GTEST_PROP(FinalEvent, RestoresEveryFieldItCarries, ()) {
  const Record r = any_ended();
  const Record back = record_of(make_event(final_type(r.state), r, r.finished_at));
  RC_ASSERT(back.id == r.id);
  RC_ASSERT(back.trace_id == r.trace_id);
  RC_ASSERT(back.scope == r.scope);
  RC_ASSERT(back.events == r.events);
  RC_ASSERT(back.state == r.state);
  RC_ASSERT(back.reason == r.reason);
  RC_ASSERT(back.origin == r.origin);
  RC_ASSERT(back.exit_code == r.exit_code);
  RC_ASSERT(back.signal == r.signal);
  RC_ASSERT(back.launch_error == r.launch_error);
  RC_ASSERT(back.started_at == r.started_at);
  // Also for fields added in future: they are read back, or this fails.
  RC_ASSERT(describe_end(back) == describe_end(r));
}

// Unknown is never success: a run whose last event cannot be read counts as abandoned.
TEST(FinalEvent, DoesNotMeanSuccessIfUnreadable) {
  for (const char* data :
       {"", "nonsense", "[]", "{}", R"({"state":"flying"})",
        R"({"state":7,"started_at":{},"exit_code":"0"})", R"({"state":"running"})"}) {
    Event event = make_event(EventType::completed, ended(), 7);
    event.data = data;
    const Record record = record_of(event);
    EXPECT_EQ(record.id, kId) << data;
    EXPECT_EQ(record.state, State::abandoned) << data;
    EXPECT_EQ(record.exit_code, std::nullopt) << data;
    EXPECT_EQ(record.started_at, 0) << data;
  }
}

}  // namespace
}  // namespace drover::run
