// The contract of a Store: invariants that hold after any sequence of writes.
#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "store/store_contract.h"

namespace drover::store {
namespace {

// One write: which, to which of the runs so far, in which lane.
struct Action {
  int what = 0;
  size_t run = 0;
  int lane = 0;
  int value = 0;
};
void showValue(const Action& action, std::ostream& out) {
  out << "{" << action.what << ", " << action.run << ", " << action.lane << ", " << action.value
      << "}";
}

rc::Gen<std::vector<Action>> deeds() {
  return rc::gen::container<std::vector<Action>>(
      rc::gen::build<Action>(rc::gen::set(&Action::what, rc::gen::inRange(0, 9)),
                             rc::gen::set(&Action::run, rc::gen::inRange<size_t>(0, 6)),
                             rc::gen::set(&Action::lane, rc::gen::inRange(0, 2)),
                             rc::gen::set(&Action::value, rc::gen::inRange(0, 4))));
}

// One random story in a store of its own.
class Story {
 public:
  explicit Story(StoreContract& world) : world_(world) { world.reopen(limits::kQueuedMax); }

  void tell(const std::vector<Action>& deeds) {
    for (const Action& action : deeds) {
      (void)perform(action);
      world_.clock.advance_ms(1);
      check_lanes();
    }
    for (const RunId& id : runs_) check_run(id);
  }

 private:
  Result<Written> perform(const Action& action) {
    const std::string lane = action.lane == 0 ? "left" : "right";
    if (action.what <= 2 || runs_.empty()) {
      run::Record r = world_.draft(lane, action.value == 0 ? "s" : "s/t");
      runs_.push_back(r.id);
      return world_.record(run::Submitted{r, action.value == 3 ? "key" : "", "digest"});
    }
    // The newest runs, because most writes should concern runs that can still change.
    const RunId id = runs_[runs_.size() - 1 - action.run % runs_.size()];
    switch (action.what) {
      case 3:
        return world_.claim(id);
      case 4:
        return world_.start(id);
      case 5:
        return world_.end(id, action.value % 2);
      case 6:
        return world_.cancel(id);
      case 7:
        return world_.remove(id);
      default:
        return world_.set_lane(lane, action.value);
    }
  }

  // A run's record is what its events add up to (R2, H7).
  void check_run(const RunId& id) {
    const auto events = world_.history(id);
    for (size_t i = 0; i < events.size(); ++i) {
      RC_ASSERT(events[i].run_seq == static_cast<std::int64_t>(i) + 1);
      if (i > 0) RC_ASSERT(events[i].seq > events[i - 1].seq);
    }
    const auto ends = std::ranges::count(events, true, &run::Event::is_final);
    RC_ASSERT(ends <= 1);
    RC_ASSERT(must(world_.store->final_event(id)).has_value() == (ends == 1));
    const auto kept = must(world_.store->find(id));
    if (kept) {
      RC_ASSERT(kept->events == std::ssize(events));
      RC_ASSERT(run::is_finished(kept->state) == (ends == 1));
    } else if (!events.empty()) {
      RC_ASSERT(events.back().type == "run.deleted");
    }
  }

  // A lane's numbers match its runs, and no step ever took a slot too many (R16). Lowering a limit
  // stops no run, so there may be as many as before.
  void check_lanes() {
    const auto all = must(world_.store->list({.limit = 1000}));
    for (const Lane& lane : must(world_.store->lanes())) {
      const auto count = [&](auto which) {
        return std::ranges::count_if(
            all, [&](const run::Record& r) { return r.lane == lane.name && which(r.state); });
      };
      RC_ASSERT(lane.active == count(run::holds_slot));
      RC_ASSERT(lane.queued == count([](run::State s) { return s == run::State::queued; }));
      RC_ASSERT(lane.active <= std::max(lane.limit, active_[lane.name]));
      active_[lane.name] = lane.active;
    }
  }

  StoreContract& world_;
  std::vector<RunId> runs_;
  std::map<std::string, std::int64_t> active_;
};

// R2, R16, H7: random facts, and after each of them the slots are within the limit; at the end
// every history is dense, with at most one finish, and every record matches its history.
TEST_P(StoreContract, KeepsItsInvariants) {
  EXPECT_TRUE(rc::check([this] { Story(*this).tell(*deeds()); }));
}

}  // namespace
}  // namespace drover::store
