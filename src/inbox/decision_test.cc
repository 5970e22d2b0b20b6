#include "inbox/decision.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace drover::inbox {
namespace {

constexpr WallMs kNow = 1'800'000'000'000;

Entry question(State state = State::open, std::vector<std::string> choices = {"yes", "no"}) {
  Entry out;
  out.choices = std::move(choices);
  out.state = state;
  if (state == State::answered) out.answer = {.choice = "yes", .text = {}};
  return out;
}

std::string outcome(const Result<Decision>& decision) {
  if (!decision) return decision.error().reason;
  return *decision == Decision::changed ? "changed" : "repeated";
}

// A15: the table of each state and each request, written by hand.
TEST(Decision, TheFirstOneWins) {
  struct Case {
    State state;
    std::string_view answer_yes, answer_no, expire, dismiss, withdraw;
  };
  for (const Case& one : std::vector<Case>{
           {State::open, "changed", "changed", "changed", "changed", "changed"},
           {State::answered, "repeated", "already_answered", "already_answered", "already_answered",
            "already_answered"},
           {State::expired, "question_expired", "question_expired", "repeated", "question_expired",
            "question_expired"},
           {State::dismissed, "question_dismissed", "question_dismissed", "question_dismissed",
            "repeated", "question_dismissed"},
           {State::withdrawn, "question_withdrawn", "question_withdrawn", "question_withdrawn",
            "question_withdrawn", "repeated"},
       }) {
    const Entry now = question(one.state);
    const auto decided = [&](Happening happening, const Answer& answer = {}) {
      return outcome(decide(now, happening, kNow, answer));
    };
    EXPECT_EQ(decided(Happening::answer, {.choice = "yes"}), one.answer_yes) << name(one.state);
    EXPECT_EQ(decided(Happening::answer, {.choice = "no"}), one.answer_no) << name(one.state);
    EXPECT_EQ(decided(Happening::expiry), one.expire) << name(one.state);
    EXPECT_EQ(decided(Happening::dismiss), one.dismiss) << name(one.state);
    EXPECT_EQ(decided(Happening::withdraw), one.withdraw) << name(one.state);
  }
}

// A15: from its deadline on a question is expired, also before that is recorded; not before.
TEST(Decision, ADeadlineIsExact) {
  Entry late = question();
  late.deadline = kNow;
  EXPECT_EQ(outcome(decide(late, Happening::answer, kNow - 1, {.choice = "yes"})), "changed");
  EXPECT_EQ(outcome(decide(late, Happening::answer, kNow, {.choice = "yes"})), "question_expired");
  EXPECT_EQ(outcome(decide(late, Happening::dismiss, kNow)), "question_expired");
  EXPECT_EQ(outcome(decide(late, Happening::expiry, kNow)), "changed");
}

// The error of a second answer quotes the first one.
TEST(Decision, ARefusalSaysWhatWasAnswered) {
  const auto refused = decide(question(State::answered), Happening::answer, kNow, {.choice = "no"});
  EXPECT_NE(refused.error().message.find("yes"), std::string::npos);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
}

// A choice must be one of the choices; of a question without any, every text is an answer.
TEST(Decision, ChecksTheChoice) {
  EXPECT_EQ(checked(question(), {.choice = "yes"})->choice, "yes");
  EXPECT_EQ(checked(question(), {.choice = {}, .text = "later"})->text, "later");
  EXPECT_EQ(checked(question(), {.choice = "no", .text = "not now"})->text, "not now");
  const auto unknown = checked(question(), {.choice = "maybe"});
  EXPECT_EQ(unknown.error().reason, "unknown_choice");
  EXPECT_EQ(unknown.error().param, "choice");
  EXPECT_NE(unknown.error().message.find("yes, no"), std::string::npos);
  const Entry open = question(State::open, {});
  EXPECT_EQ(*checked(open, {.choice = "v1"}), (Answer{.choice = {}, .text = "v1"}));
  EXPECT_EQ(checked(open, {.choice = "v1", .text = "v2"}).error().reason, "unknown_choice");
}

// A15: whatever happens in whatever order, a question changes once, and stays as it was closed.
RC_GTEST_PROP(DecisionProperty, AQuestionIsClosedOnce,
              (const std::vector<std::pair<std::uint8_t, bool>>& story)) {
  Entry now = question();
  int changes = 0;
  std::optional<Entry> closed;
  for (const auto& [which, yes] : story) {
    const Happening happening = kHappenings[which % kHappenings.size()];
    const Answer answer{.choice = happening == Happening::answer ? (yes ? "yes" : "no") : ""};
    const auto decision = decide(now, happening, kNow, answer);
    if (!decision) {
      RC_ASSERT(closed.has_value());
      RC_ASSERT(decision.error().code == ErrorCode::conflict);
    } else if (*decision == Decision::changed) {
      now.state = *next(now.state, happening);
      now.answer = answer;
      closed = now;
      ++changes;
    } else {
      RC_ASSERT(answer == closed->answer);
    }
    if (closed) RC_ASSERT(now.state == closed->state);
  }
  RC_ASSERT(changes == (story.empty() ? 0 : 1));
}

}  // namespace
}  // namespace drover::inbox
