// The contract of a Store: composites, runs that are made of other runs (run/kind.h). The kinds
// are those of the test room (testing/kinds.h).
#include "store/store_contract.h"
#include "testing/kinds.h"

namespace drover::store {
namespace {

run::Record tour(StoreContract& contract, const std::string& scope = "tours/alps") {
  run::Record r = contract.draft("", scope);
  r.kind = testing::kTour;
  return r;
}
run::Record leg(StoreContract& contract, const RunId& of) {
  run::Record r = contract.draft(std::string(testing::kTourLane), "tours/alps");
  r.kind = testing::kLeg;
  r.parent_run_id = of.str();
  return r;
}
run::Fact goes(const RunId& id, std::string_view place) {
  return run::PhaseChanged{.id = id, .change = std::string(place)};
}

// P6: the second composite in one scope is refused, whatever both callers believed; another scope
// is free, and so is this one once the first has finished.
TEST_P(StoreContract, AllowsOneCompositePerScope) {
  const run::Record first = submit(tour(*this));
  EXPECT_EQ(first.state, run::State::running);
  EXPECT_EQ(reason_of(record(run::Submitted{tour(*this), "", ""})), "already_active");
  EXPECT_EQ(submit(tour(*this, "tours/coast")).state, run::State::running);
  must(record(goes(first.id, testing::kHome)));
  EXPECT_EQ(submit(tour(*this)).state, run::State::running);
}

// A composite moves from phase to phase by the rule of its kind, has an event for each before its
// finish, and finishes at rest; a repeated change has no effect.
TEST_P(StoreContract, ACompositeFollowsItsRule) {
  const RunId id = submit(tour(*this)).id;
  EXPECT_EQ(found(id).phase, testing::tour_at("packing"));
  const RunId child = submit(leg(*this, id)).id;
  must(record(goes(id, child.view())));
  EXPECT_EQ(must(record(goes(id, child.view()))).effect, run::Effect::none);
  EXPECT_EQ(reason_of(record(goes(id, "packing"))), "illegal_transition");
  EXPECT_EQ(found(id).phase, testing::tour_at(child.view()));
  must(record(goes(id, testing::kHome)));
  EXPECT_EQ(found(id).state, run::State::completed);
  EXPECT_EQ(reason_of(record(goes(id, child.view()))), "illegal_transition");
  EXPECT_EQ(types(id), (Types{"run.queued", "run.starting", "run.started", "tour.changed",
                              "tour.leg", "tour.changed", "run.completed"}));
}

// P7: once a composite was stopped, none of its children can start.
TEST_P(StoreContract, AStoppedCompositeStartsNothing) {
  const RunId id = submit(tour(*this)).id;
  EXPECT_EQ(reason_of(cancel(id)), "not_cancellable");
  must(record(run::CancelRequested{.id = id, .of_any_kind = true}));
  EXPECT_EQ(reason_of(record(run::Submitted{leg(*this, id), "", ""})), "stopped");
}

// A composite is in no lane and takes no slot: its children do.
TEST_P(StoreContract, ACompositeTakesNoSlot) {
  const RunId id = submit(tour(*this)).id;
  EXPECT_EQ(lane("tours").active, 0);
  for (const Lane& lane : must(store->lanes())) EXPECT_FALSE(lane.name.empty());
  submit(leg(*this, id));
  EXPECT_EQ(lane("tours").active, 1);
}

// A reserved lane accepts its own kinds and no other; while it drains, a new composite is refused,
// but the children of an active one are not.
TEST_P(StoreContract, AKindHasALaneOfItsOwn) {
  EXPECT_EQ(reason_of(record(run::Submitted{draft("tours"), "", ""})), "lane_reserved");
  const RunId id = submit(tour(*this)).id;
  must(write(LaneSet{.name = "tours", .draining = true}));
  EXPECT_EQ(submit(leg(*this, id)).state, run::State::starting);
  EXPECT_EQ(reason_of(record(run::Submitted{tour(*this, "tours/coast"), "", ""})), "lane_draining");
}

// Only composites have a phase.
TEST_P(StoreContract, OnlyCompositesHavePhases) {
  const RunId id = submit().id;
  EXPECT_EQ(reason_of(record(goes(id, testing::kHome))), "illegal_transition");
}

}  // namespace
}  // namespace drover::store
