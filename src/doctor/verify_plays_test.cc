// The verifier and plays: each test plants one break in a healthy home, as verify_test.cc does.
#include <fmt/format.h>

#include "doctor/verify_fixture.h"

namespace drover::doctor {
namespace {

constexpr auto kAtRest = "a play session is at rest once its play has ended, and not before";

class PlayChecks : public VerifiedHome {
 public:
  void SetUp() override { ASSERT_TRUE(report().clean()) << as_text(report()); }

  // Another session than the daemon wrote, on the record and on the spine alike.
  void plant_session(const RunId& id, const std::string& session) {
    plant(
        fmt::format("UPDATE runs SET session = '{1}' WHERE id = '{0}';"
                    "UPDATE spine SET data = '{1}' WHERE run_id = '{0}' AND type LIKE 'play.%'",
                    id.view(), session));
  }
};

// P8: a session that changed without an event, or an event that its record does not know of.
TEST_F(PlayChecks, SeeASessionThatItsEventsDoNotTellOf) {
  constexpr auto kPromise = "a play session is what its last event says";
  plant(fmt::format(
      "UPDATE runs SET session = replace(session, 'preparing', 'running') WHERE id = '{}'",
      playing.view()));
  EXPECT_TRUE(breaks(kPromise, playing.str()));
  plant(fmt::format(
      "UPDATE runs SET session = replace(session, 'running', 'preparing') WHERE id = '{}'",
      playing.view()));
  EXPECT_TRUE(report().clean()) << as_text(report());
  plant(fmt::format("UPDATE spine SET data = '{{}}' WHERE run_id = '{}' AND type = 'play.step'",
                    playing.view()));
  EXPECT_TRUE(breaks(kPromise, playing.str()));
}

// P8: every state that does not fit the play's run, and what is no state at all.
TEST_F(PlayChecks, SeeASessionThatDoesNotFitItsRun) {
  for (const session::State state : session::kStates) {
    for (const bool at_rest : {false, true}) {
      const RunId& id = at_rest ? played : playing;
      plant_session(id, session::text_of({.project = "game", .state = state}));
      const bool fits = state != session::State::idle && session::is_at_rest(state) == at_rest;
      if (fits) {
        EXPECT_TRUE(report().clean()) << session::name(state) << as_text(report());
      } else {
        EXPECT_TRUE(breaks(kAtRest, id.str())) << session::name(state);
      }
      plant_session(id, session::text_of({.project = "game",
                                          .state = at_rest ? session::State::stopped
                                                           : session::State::preparing}));
    }
  }
  for (const char* nonsense : {"", "nonsense", "{}", "[]", R"({"state":7})"}) {
    plant_session(playing, nonsense);
    EXPECT_TRUE(breaks(kAtRest, playing.str())) << nonsense;
  }
}

// P6: a second play of a project that is being played.
TEST_F(PlayChecks, SeeAProjectThatIsPlayedTwice) {
  const RunId other = play("other");
  EXPECT_TRUE(report().clean()) << as_text(report());
  plant(fmt::format("UPDATE runs SET scope = 'project/game' WHERE id = '{}'", other.view()));
  EXPECT_TRUE(breaks("a project is played once at a time", "project/game"));
}

// P7: a step, or a runtime, of a play that has ended, and of one that is gone.
TEST_F(PlayChecks, SeeWhatOutlivedItsPlay) {
  for (const RunId& parent : {played, deleted}) {
    plant(fmt::format("UPDATE runs SET parent_run_id = '{}' WHERE id = '{}'", parent.view(),
                      step.view()));
    EXPECT_TRUE(breaks("nothing outlives the play that started it", step.str()));
  }
  plant(fmt::format("UPDATE runs SET kind = 'runtime' WHERE id = '{}'", step.view()));
  EXPECT_TRUE(breaks("nothing outlives the play that started it", step.str()));
}

// A database from before there were plays is verified as it is.
TEST_F(PlayChecks, LeaveAnOldDatabase) {
  const size_t before = report().checks.size();
  plant("ALTER TABLE runs DROP COLUMN session");
  EXPECT_TRUE(report().clean()) << as_text(report());
  EXPECT_EQ(report().checks.size(), before - 4);
}

}  // namespace
}  // namespace drover::doctor
