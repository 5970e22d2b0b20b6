// The verifier's checks on plays: each test plants one fault in a healthy home, as
// doctor/verify_test.cc does.
#include "play/sql_checks.h"

#include <fmt/format.h>

#include "doctor/verify_fixture.h"
#include "play/known_projects.h"
#include "play/phase.h"
#include "testing/plain_words.h"

namespace drover::play {
namespace {

using doctor::as_text;
using doctor::SqlCheckSet;

const run::Kinds& kinds() {
  static const std::array<std::span<const run::Kind>, 1> kRooms{kKinds};
  static const run::Kinds all(kRooms);
  return all;
}
constexpr auto kSets = std::to_array<SqlCheckSet>({kSqlCheckSet});

constexpr auto kAtRest = "a play session is at rest exactly when its play has finished";

// Every promise can be read once.
TEST(PlaySqlChecks, PromisesArePlainWords) {
  for (const doctor::SqlCheck& check : kSqlChecks) {
    EXPECT_EQ(testing::violations(check.promise), std::vector<std::string>());
  }
}

class PlayChecks : public doctor::VerifiedHome {
 public:
  PlayChecks() : VerifiedHome({.kinds = &kinds(), .rooms = {kTables}}, kSets) {
    playing = play("game");
    step = take_step(playing);
    played = play("over");
    record(run::Fact(changed(played, {.happening = play::Happening::preparation_failed,
                                      .rest = {.happening = run::Happening::failed,
                                               .reason = run::Reason::exit_nonzero}})));
    forget_environment(played);
  }
  void SetUp() override { ASSERT_TRUE(report().clean()) << as_text(report()); }

  // Replaces the session on the record and in the log alike.
  void plant_session(const RunId& id, const std::string& session) {
    plant(
        fmt::format("UPDATE runs SET phase = '{1}' WHERE id = '{0}';"
                    "UPDATE spine SET data = '{1}' WHERE subject = '{0}' AND type LIKE 'play.%'",
                    id.view(), session));
  }
  // A play in preparation.
  RunId play(const std::string& project) {
    record(add_project({.id = project, .root = "/" + project, .added_at = 1}));
    run::Record play = draft();
    play.kind = kPlay;
    play.scope = play::scope_of(project);
    play.lane.clear();
    play.phase = play::text_of({.project = project});
    return submit(play, "");
  }
  // A running step of the play.
  RunId take_step(const RunId& play) {
    run::Record build = draft();
    build.kind = kStep;
    build.lane = kLane;
    build.parent_run_id = play.str();
    const RunId id = submit(build, "");
    record(run::Fact(run::Started{id, clock.wall_ms()}));
    record(run::Fact(advanced(play, play::Stage::build, id)));
    return id;
  }

  RunId playing, step, played;
};

// P8: finds a session that changed without an event, and an event that its record lacks.
TEST_F(PlayChecks, FindASessionThatDiffersFromItsEvents) {
  constexpr auto kPromise = "a play session agrees with its last event";
  plant(
      fmt::format("UPDATE runs SET phase = replace(phase, 'preparing', 'running') WHERE id = '{}'",
                  playing.view()));
  EXPECT_TRUE(breaks(kPromise, playing.str()));
  plant(
      fmt::format("UPDATE runs SET phase = replace(phase, 'running', 'preparing') WHERE id = '{}'",
                  playing.view()));
  EXPECT_TRUE(report().clean()) << as_text(report());
  plant(fmt::format("UPDATE spine SET data = '{{}}' WHERE subject = '{}' AND type = 'play.step'",
                    playing.view()));
  EXPECT_TRUE(breaks(kPromise, playing.str()));
}

// P8: finds every session state that does not fit the play's run, and an invalid state.
TEST_F(PlayChecks, FindASessionThatDoesNotFitItsRun) {
  for (const play::State state : play::kStates) {
    for (const bool at_rest : {false, true}) {
      const RunId& id = at_rest ? played : playing;
      plant_session(id, play::text_of({.project = "game", .state = state}));
      const bool fits = state != play::State::idle && play::is_at_rest(state) == at_rest;
      if (fits) {
        EXPECT_TRUE(report().clean()) << play::name(state) << as_text(report());
      } else {
        EXPECT_TRUE(breaks(kAtRest, id.str())) << play::name(state);
      }
      plant_session(
          id, play::text_of({.project = "game",
                             .state = at_rest ? play::State::stopped : play::State::preparing}));
    }
  }
  for (const char* nonsense : {"", "nonsense", "{}", "[]", R"({"state":7})"}) {
    plant_session(playing, nonsense);
    EXPECT_TRUE(breaks(kAtRest, playing.str())) << nonsense;
  }
}

// P6: finds a second active play of one project.
TEST_F(PlayChecks, FindAProjectThatIsPlayedTwice) {
  const RunId other = play("other");
  EXPECT_TRUE(report().clean()) << as_text(report());
  plant(fmt::format("UPDATE runs SET scope = 'project/game' WHERE id = '{}'", other.view()));
  EXPECT_TRUE(breaks("a project has at most one active play", "project/game"));
}

// P7: finds an active step or runtime of a play that has finished or was deleted.
TEST_F(PlayChecks, FindRunsThatOutlivedTheirPlay) {
  for (const RunId& parent : {played, deleted}) {
    plant(fmt::format("UPDATE runs SET parent_run_id = '{}' WHERE id = '{}'", parent.view(),
                      step.view()));
    EXPECT_TRUE(breaks("no run outlives the play that started it", step.str()));
  }
  plant(fmt::format("UPDATE runs SET kind = 'runtime' WHERE id = '{}'", step.view()));
  EXPECT_TRUE(breaks("no run outlives the play that started it", step.str()));
}

// A database from before there were plays has no problems.
TEST_F(PlayChecks, AcceptADatabaseWithoutPlays) {
  const size_t before = report().checks.size();
  plant("ALTER TABLE runs DROP COLUMN phase");
  EXPECT_TRUE(report().clean()) << as_text(report());
  EXPECT_EQ(report().checks.size(), before - 4);
}

}  // namespace
}  // namespace drover::play
