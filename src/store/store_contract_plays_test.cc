// The contract of a Store, for projects and their plays.
#include "store/store_contract.h"

namespace drover::store {
namespace {

Project project(const std::string& id, const std::string& root) {
  return {.id = id, .root = root, .added_at = 7};
}

// Of a project that there is.
run::Record play_draft(StoreContract& contract, const std::string& id = "game") {
  must(contract.write(ProjectAdded{project(id, "/" + id)}));
  run::Record r = contract.draft("", session::scope_of(id));
  r.kind = run::kPlay;
  r.session = session::text_of({.project = id});
  return r;
}
run::Fact happened(const RunId& id, session::Happening happening) {
  return run::SessionChanged{.id = id, .happening = happening};
}
session::State state_of(const run::Record& record) {
  return must(session::parse_session(record.session)).state;
}

// A project is read as it was written, and is in one place.
TEST_P(StoreContract, KeepsProjects) {
  must(write(ProjectAdded{project("b", "/b\xff")}));
  must(write(ProjectAdded{project("a", "/a")}));
  must(write(ProjectAdded{project("a", "/a")}));
  EXPECT_EQ(reason_of(write(ProjectAdded{project("a", "/c")})), "project_elsewhere");
  EXPECT_EQ(reason_of(write(ProjectAdded{project("c", "/a")})), "project_elsewhere");
  EXPECT_EQ(must(store->projects()), (std::vector{project("a", "/a"), project("b", "/b\xff")}));
  must(write(ProjectRemoved{"a"}));
  EXPECT_EQ(reason_of(write(ProjectRemoved{"a"})), "not_found");
  EXPECT_EQ(must(store->projects()).size(), 1u);
}

// P6: whoever presses Play second is refused, whatever both believed; another project is not.
TEST_P(StoreContract, OnePlayOfAProject) {
  const run::Record first = submit(play_draft(*this));
  EXPECT_EQ(first.state, run::State::running);
  EXPECT_EQ(reason_of(record(run::Submitted{play_draft(*this), "", ""})), "already_playing");
  EXPECT_EQ(submit(play_draft(*this, "other")).state, run::State::running);
  must(record(run::SessionChanged{
      .id = first.id,
      .happening = session::Happening::preparation_failed,
      .rest = {.happening = run::Happening::failed, .reason = run::Reason::exit_nonzero}}));
  EXPECT_EQ(submit(play_draft(*this)).state, run::State::running);
}

// P8: a session goes from state to state by the table, is told of on the spine before its run's
// end, and ends with it; telling it twice changes nothing.
TEST_P(StoreContract, ASessionIsARun) {
  const RunId id = submit(play_draft(*this)).id;
  EXPECT_EQ(state_of(found(id)), session::State::preparing);
  const RunId child = submit(draft()).id;
  must(record(run::Advanced{id, session::Stage::build, child}));
  EXPECT_EQ(must(record(run::Advanced{id, session::Stage::build, child})).effect,
            run::Effect::none);
  EXPECT_EQ(reason_of(record(happened(id, session::Happening::confirmed))), "illegal_transition");
  must(record(happened(id, session::Happening::prepared)));
  EXPECT_EQ(must(record(happened(id, session::Happening::prepared))).effect, run::Effect::none);
  must(record(happened(id, session::Happening::confirmed)));
  EXPECT_EQ(state_of(found(id)), session::State::running);
  must(record(happened(id, session::Happening::ended)));
  EXPECT_EQ(state_of(found(id)), session::State::stopped);
  EXPECT_EQ(found(id).state, run::State::completed);
  EXPECT_EQ(reason_of(record(happened(id, session::Happening::failed))), "illegal_transition");
  std::vector<std::string> types;
  for (const run::Event& event : history(id)) types.push_back(event.type);
  EXPECT_EQ(types, (std::vector<std::string>{"run.queued", "run.starting", "run.started",
                                             "play.changed", "play.step", "play.changed",
                                             "play.changed", "play.changed", "run.completed"}));
  EXPECT_EQ(must(session::parse_session(found(id).session)).runs.at(session::Stage::build),
            child.view());
}

// P7: once Stop is on record, what the play would have started never begins.
TEST_P(StoreContract, AStoppedPlayStartsNothing) {
  const RunId id = submit(play_draft(*this)).id;
  must(record(run::CancelRequested{.id = id, .of_any_kind = true}));
  run::Record runtime = draft("play", session::scope_of("game"));
  runtime.kind = run::kRuntime;
  runtime.parent_run_id = id.str();
  EXPECT_EQ(reason_of(record(run::Submitted{runtime, "", ""})), "stopped");
}

// Whoever presses Play while the project is being removed plays it, or is told that it is gone: one
// of the two was first.
TEST_P(StoreContract, PlaysNoProjectThatIsGone) {
  const run::Record late = play_draft(*this);
  must(write(ProjectRemoved{"game"}));
  EXPECT_EQ(reason_of(record(run::Submitted{late, "", ""})), "not_found");
  EXPECT_EQ(must(store->find(late.id)), std::nullopt);
}

// P8: what a play failed at is its step, also if nothing of that was ever begun.
TEST_P(StoreContract, ASessionNamesTheStepItFailedAt) {
  const RunId id = submit(play_draft(*this)).id;
  must(record(run::SessionChanged{
      .id = id,
      .happening = session::Happening::preparation_failed,
      .stage = session::Stage::pack,
      .rest = {.happening = run::Happening::failed, .reason = run::Reason::launch_failed}}));
  EXPECT_EQ(must(session::parse_session(found(id).session)).stage, session::Stage::pack);
}

// A project cannot be taken away from under its play.
TEST_P(StoreContract, KeepsAProjectThatIsPlayed) {
  must(write(ProjectAdded{project("game", "/game")}));
  const RunId id = submit(play_draft(*this)).id;
  EXPECT_EQ(reason_of(write(ProjectRemoved{"game"})), "project_busy");
  must(record(run::SessionChanged{
      .id = id,
      .happening = session::Happening::preparation_failed,
      .rest = {.happening = run::Happening::failed, .reason = run::Reason::exit_nonzero}}));
  must(write(ProjectRemoved{"game"}));
}

// A composite stands in no lane and holds no slot: its children do.
TEST_P(StoreContract, HoldsNoSlot) {
  submit(play_draft(*this));
  for (const Lane& lane : must(store->lanes())) {
    EXPECT_FALSE(lane.name.empty());
    EXPECT_EQ(lane.active, 0);
  }
}

// What is no play has no session.
TEST_P(StoreContract, OnlyPlaysHaveSessions) {
  const RunId id = submit().id;
  EXPECT_EQ(reason_of(record(happened(id, session::Happening::prepared))), "illegal_transition");
}

}  // namespace
}  // namespace drover::store
