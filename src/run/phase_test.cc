// How a composite changes its phase, with a rule of this test: a count that rests at 2.
#include "run/phase.h"

#include <gtest/gtest.h>

#include <array>

#include "run/transition.h"

namespace drover::run {
namespace {

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000z");

// A change is the next count; repeating it changes nothing.
Result<std::optional<PhaseStep>> count(const Record& before, std::string_view change) {
  if (before.phase == change) return std::nullopt;
  if (change != "0" && change != "1" && change != "2") return fail_invalid("change", "no count");
  return PhaseStep{
      .after = std::string(change), .event = "count.changed", .at_rest = change == "2"};
}

constexpr auto kRoom = std::to_array<Kind>({
    {.name = "count", .composite = true, .phase = &count, .first_change = "0"},
});

const Kinds& kinds() {
  static const std::array<std::span<const Kind>, 1> kRooms{kRoom};
  static const Kinds all(kRooms);
  return all;
}

Record record_of(std::string_view kind) {
  Record record;
  record.id = kId;
  record.kind = kind;
  record.scope = "default";
  return record;
}
Result<Change> told(const Record& before, std::string change, Rest rest = {}) {
  return apply(&before, PhaseChanged{.id = kId, .change = std::move(change), .rest = rest},
               {.kinds = kinds(), .wall_ms = 7});
}
Record begun() {
  return apply(nullptr, Submitted{.record = record_of("count"), .key = {}, .digest = {}},
               {.kinds = kinds(), .wall_ms = 5})
      .value()
      .after;
}
std::vector<std::string> types_of(const Change& change) {
  std::vector<std::string> types;
  for (const Event& event : change.events) types.push_back(event.type);
  return types;
}

// A composite is running from its first commit on, in the phase that its kind names.
TEST(Phase, BeginsWithTheRun) {
  const auto change =
      apply(nullptr, Submitted{.record = record_of("count"), .key = {}, .digest = {}},
            {.kinds = kinds(), .wall_ms = 5});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->after.state, State::running);
  EXPECT_EQ(change->after.started_at, 5);
  EXPECT_EQ(change->after.phase, "0");
  EXPECT_EQ(types_of(*change), (std::vector<std::string>{"run.queued", "run.starting",
                                                         "run.started", "count.changed"}));
}

// The rule names the event of a change, and the event's data is the new phase.
TEST(Phase, ChangesByTheRuleOfItsKind) {
  const auto change = told(begun(), "1");
  ASSERT_TRUE(change);
  EXPECT_EQ(change->after.phase, "1");
  EXPECT_EQ(change->after.state, State::running);
  ASSERT_EQ(types_of(*change), std::vector<std::string>{"count.changed"});
  EXPECT_EQ(change->events[0].data, "1");
  EXPECT_EQ(told(begun(), "0")->effect, Effect::none);
  EXPECT_EQ(told(begun(), "x").error().code, ErrorCode::invalid);
}

// A phase at rest finishes the run, as the fact says; a finished run changes no more, but a
// repeated change is accepted.
TEST(Phase, EndsTheRunThatIsAtRest) {
  const auto change = told(begun(), "2",
                           {.happening = Happening::failed,
                            .reason = Reason::exit_nonzero,
                            .exit_code = 3,
                            .message = "counted out"});
  ASSERT_TRUE(change);
  const Record& after = change->after;
  EXPECT_EQ(after.state, State::failed);
  EXPECT_EQ(after.reason, Reason::exit_nonzero);
  EXPECT_EQ(after.exit_code, 3);
  EXPECT_EQ(after.message, "counted out");
  EXPECT_EQ(after.finished_at, 7);
  EXPECT_EQ(types_of(*change), (std::vector<std::string>{"count.changed", "run.failed"}));
  EXPECT_EQ(told(after, "2")->effect, Effect::none);
  EXPECT_FALSE(told(after, "1"));
}

// Only composites have a phase.
TEST(Phase, IsOfCompositesOnly) {
  Record command = record_of("command");
  command.state = State::running;
  const auto change = told(command, "1");
  ASSERT_FALSE(change);
  EXPECT_EQ(change.error().reason, "illegal_transition");
}

// Every fact about a record of an unregistered kind is refused.
TEST(Phase, RefusesAnUnknownKind) {
  Record before = begun();
  const std::vector<Fact> facts{PhaseChanged{.id = kId, .change = "1"},
                                CancelRequested{.id = kId, .of_any_kind = true}, Deleted{kId},
                                Started{kId, 1}};
  for (const Fact& fact : facts) {
    const auto change = apply(&before, fact, {});
    ASSERT_FALSE(change);
    EXPECT_EQ(change.error().reason, "unknown_kind");
  }
  const auto submitted =
      apply(nullptr, Submitted{.record = record_of("count"), .key = {}, .digest = {}}, {});
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().reason, "unknown_kind");
}

}  // namespace
}  // namespace drover::run
