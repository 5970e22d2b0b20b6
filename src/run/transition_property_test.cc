// Whatever facts arrive about a run, in any order, its history stays consistent.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "run/record_json.h"
#include "run/transition.h"

namespace drover::run {
namespace {

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000z");

// Turns one random number into a fact; bit by bit, so that a failure shrinks to small numbers.
class Dice {
 public:
  explicit Dice(std::uint32_t value) : value_(value) {}
  std::uint32_t roll(std::uint32_t sides) {
    const std::uint32_t face = value_ % sides;
    value_ /= sides;
    return face;
  }

 private:
  std::uint32_t value_;
};

Ending ending_of(Dice& dice) {
  switch (dice.roll(6)) {
    case 0:
      return Exited{static_cast<int>(dice.roll(2))};
    case 1:
      return Killed{15, dice.roll(2) == 1};
    case 2:
      return NotLaunched{LaunchStep::exec, 2, std::string(dice.roll(2) * 1000, 'x')};
    case 3:
      return NeverStarted{};
    case 4:
      return Unknown{Reason::keeper_lost};
    default:
      return Unknown{Reason::host_restarted};
  }
}

Fact fact_of(Dice& dice) {
  switch (dice.roll(8)) {
    case 0: {
      Record record;
      record.kind = kCommand;
      record.id = kId;
      record.queued_at = 1;
      record.lane = "default";
      return Submitted{record, "", ""};
    }
    case 1:
      return Claimed{kId};
    case 2:
      return Started{kId, 50};
    case 3:
      return CancelRequested{kId};
    case 4: {
      Ended fact;
      fact.id = kId;
      fact.ending = ending_of(dice);
      fact.cause = static_cast<StopCause>(dice.roll(5));
      fact.exit_mono_ns = dice.roll(20);
      fact.started_at = dice.roll(2) == 0 ? 0 : 60;
      fact.finished_at = dice.roll(2) == 0 ? 0 : 70;
      if (dice.roll(2) == 1) fact.receipt.emplace().kill_at = dice.roll(2);
      if (dice.roll(2) == 1) fact.progress.emplace().percent = 99;
      return fact;
    }
    case 5:
      return RequestRefused{kId, EventType::cancel_repeated, "{}"};
    case 6:
      if (dice.roll(2) == 1) return Progressed{.id = kId, .what = OutputGrowth{.bytes = 7}};
      return Progressed{.id = kId, .what = SaidProgress{.percent = 7}};
    default:
      return Deleted{kId};
  }
}

// The whole record as text, to detect changes.
std::string text_of(const Record& r) {
  return boost::json::serialize(describe(r, only_commands())) + std::to_string(r.events) + ' ' +
         std::to_string(r.cancel_mono_ns);
}

// The state that a run's events add up to; each step must be in the table.
State replay(const std::vector<Event>& events) {
  State state = State::queued;
  for (size_t i = 0; i < events.size(); ++i) {
    const std::string& type = events[i].type;
    RC_ASSERT((type == "run.queued") == (i == 0));
    if (type == "run.queued" || type == "run.cancel_requested" || type == "run.deleted" ||
        type == "run.cancel_repeated" || type == "run.progress") {
      if (type == "run.progress") RC_ASSERT(state != State::queued && state != State::starting);
      continue;
    }
    const std::string word = type.substr(4);
    const State to = word == "started" ? State::running : state_named(word).value();
    RC_ASSERT(
        std::ranges::any_of(kLife, [&](const Step& s) { return s.from == state && s.to == to; }));
    state = to;
  }
  return state;
}

void check_history(const std::vector<Event>& events) {
  size_t finals = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    RC_ASSERT(events[i].run_seq == static_cast<std::int64_t>(i + 1));  // Dense, from 1.
    RC_ASSERT(events[i].run_id == kId);
    RC_ASSERT(boost::json::parse(events[i].data).is_object());
    // After the finish only the deletion may follow, and nothing after that.
    if (finals > 0) RC_ASSERT(events[i].type == "run.deleted");
    if (events[i].type == "run.deleted") RC_ASSERT(i + 1 == events.size() && finals == 1);
    finals += events[i].is_final ? 1 : 0;
  }
  RC_ASSERT(finals <= 1);
}

void check_record(const Record& r, const std::vector<Event>& events) {
  RC_ASSERT(r.events == static_cast<std::int64_t>(events.size()));
  RC_ASSERT(r.state == replay(events));
  RC_ASSERT(r.reason.has_value() == is_finished(r.state));
  RC_ASSERT(r.origin.has_value() == is_finished(r.state));
  RC_ASSERT((r.finished_at != 0) == is_finished(r.state));
  RC_ASSERT(r.message.size() <= 500U);
  RC_ASSERT(r.state != State::completed || r.exit_code == 0);
  const bool started =
      std::ranges::any_of(events, [](const Event& e) { return e.type == "run.started"; });
  RC_ASSERT((r.started_at != 0) == started);
  const bool wanted =
      std::ranges::any_of(events, [](const Event& e) { return e.type == "run.cancel_requested"; });
  RC_ASSERT(r.cancel_requested == wanted);
}

// R2, H7: any sequence of facts leaves at most one final event, a dense run_seq, a record that
// matches the events, and nothing after `deleted`; a fact without effect changes nothing.
RC_GTEST_PROP(History, StaysConsistentUnderAnyFacts, ()) {
  const auto tellings = *rc::gen::container<std::vector<std::uint32_t>>(
      rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>()));
  std::optional<Record> known;
  std::vector<Event> events;
  WallMs now = 100;
  for (const std::uint32_t telling : tellings) {
    Dice dice(telling);
    const JudgementContext context{
        .wall_ms = ++now, .mono_ns = dice.roll(20), .lane_has_free_slot = dice.roll(2) == 1};
    const Fact fact = fact_of(dice);
    // An id is used once: a deleted one is never submitted again.
    const bool deleted = !known && !events.empty();
    if (deleted && std::holds_alternative<Submitted>(fact)) continue;
    const std::string before = known ? text_of(*known) : "";
    const auto change = apply(known ? &*known : nullptr, fact, context);
    if (!change) {
      RC_ASSERT(!change.error().reason.empty());
      RC_ASSERT(known.has_value() == (change.error().code != ErrorCode::not_found));
      continue;
    }
    if (change->effect == Effect::none) {
      RC_ASSERT(change->events.empty());
      RC_ASSERT(text_of(change->after) == before);
      continue;
    }
    RC_ASSERT(!change->events.empty());
    RC_ASSERT(!known || !is_finished(known->state) || change->effect == Effect::removed);
    if (std::holds_alternative<RequestRefused>(fact)) {  // Only its event is new.
      Record same = change->after;
      --same.events;
      RC_ASSERT(text_of(same) == before);
    }
    events.insert(events.end(), change->events.begin(), change->events.end());
    check_history(events);
    check_record(change->after, events);
    known.reset();
    if (change->effect == Effect::changed) known = change->after;
  }
}

}  // namespace
}  // namespace drover::run
