// The rule by which a play session changes, called as the core calls it.
#include "play/phase.h"

#include <gtest/gtest.h>

#include "run/record.h"

namespace drover::play {
namespace {

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000z");
const RunId kChild = *RunId::parse("run_01hf7yat000000000000000010");

run::Record play_in(play::State state) {
  run::Record record;
  record.id = kId;
  record.scope = "project/game";
  record.phase = play::text_of({.project = "game", .state = state});
  return record;
}
std::string change_of(play::Happening happening) {
  return changed(kId, {.happening = happening}).change;
}

// P8: the rule agrees with the table for every state and every happening. A happening that led to
// the current state changes nothing.
TEST(PhaseRule, AgreesWithTheTable) {
  for (const play::State from : play::kStates) {
    for (const play::Happening happening : play::kHappenings) {
      const auto step = phase_rule(play_in(from), change_of(happening));
      const auto to = play::next(from, happening);
      const std::string what =
          std::string(play::name(from)) + " × " + std::string(play::name(happening));
      if (!to && play::leads_to(happening, from)) {
        ASSERT_TRUE(step) << what;
        EXPECT_FALSE(*step) << what;
      } else if (!to) {
        ASSERT_FALSE(step) << what;
        EXPECT_EQ(step.error().reason, "illegal_transition") << what;
      } else {
        ASSERT_TRUE(step && *step) << what;
        EXPECT_EQ(play::parse_session((*step)->after)->state, *to) << what;
        EXPECT_EQ((*step)->event, kChangedEvent) << what;
        EXPECT_EQ((*step)->at_rest, play::is_at_rest(*to)) << what;
      }
    }
  }
}

// A play records each run that it submits, once.
TEST(PhaseRule, RecordsEachChildOnce) {
  run::Record play = play_in(play::State::preparing);
  const std::string change = advanced(kId, play::Stage::build, kChild).change;
  const auto step = phase_rule(play, change);
  ASSERT_TRUE(step && *step);
  EXPECT_EQ((*step)->event, kStepEvent);
  play.phase = (*step)->after;
  EXPECT_EQ(current_child(play), kChild.view());
  EXPECT_FALSE(*phase_rule(play, change));
  EXPECT_EQ(signal_target(play).error().reason, "no_runtime");
  play.phase = (*phase_rule(play, advanced(kId, play::Stage::runtime, kChild).change))->after;
  EXPECT_EQ(*signal_target(play), kChild);
}

// P8: a failed play names the stage that failed, even if the stage never started.
TEST(PhaseRule, NamesTheFailedStage) {
  const auto fact = changed(kId, {.happening = play::Happening::preparation_failed,
                                  .stage = play::Stage::pack,
                                  .code = "step_failed",
                                  .message = "no tar"});
  EXPECT_EQ(fact.rest.message, "no tar");
  const auto step = phase_rule(play_in(play::State::preparing), fact.change);
  ASSERT_TRUE(step && *step);
  const auto after = play::parse_session((*step)->after);
  EXPECT_EQ(after->stage, play::Stage::pack);
  EXPECT_EQ(after->code, "step_failed");
  EXPECT_EQ(after->message, "no tar");
}

// An error message with invalid UTF-8, such as a path, does not keep a play from finishing.
TEST(PhaseRule, AcceptsAnyBytesInAMessage) {
  const auto fact = changed(kId, {.happening = play::Happening::preparation_failed,
                                  .message = "/home/\xff/drover.toml: no project"});
  const auto step = phase_rule(play_in(play::State::preparing), fact.change);
  ASSERT_TRUE(step && *step);
  EXPECT_EQ(play::parse_session((*step)->after)->message, "/home/\uFFFD/drover.toml: no project");
}

// A text that is not a change of a session is refused.
TEST(PhaseRule, RefusesInvalidChanges) {
  for (const char* change : {"", "nonsense", "[]", "{}", R"({"happening":"dreamt"})",
                             R"({"step":"dream","child":"x"})"}) {
    const auto step = phase_rule(play_in(play::State::preparing), change);
    ASSERT_FALSE(step) << change;
    EXPECT_EQ(step.error().code, ErrorCode::invalid) << change;
  }
}

}  // namespace
}  // namespace drover::play
