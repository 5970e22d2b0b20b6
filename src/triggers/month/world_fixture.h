// A World lives through the month of a Plan: a virtual clock, a real store on a disk that breaks,
// daemons that are killed and started again, processes that keep running meanwhile, and the
// Outside. At the end the disk is sound, nothing is paused, and a daemon has caught up.
//
// While nothing is broken, every step ends only when the daemon has nothing more to do at that
// time. So the threads of the store decide nothing, and an even seed always gives the same ledger.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "testing/clock.h"
#include "testing/directory.h"
#include "triggers/month/history_fixture.h"
#include "triggers/month/outside_fixture.h"
#include "triggers/month/plan_fixture.h"
#include "triggers/month/simulated_daemon_fixture.h"

namespace drover::triggers::month {

class World {
 public:
  explicit World(std::uint64_t seed);
  ~World();

  // Throws if a daemon does not start or does not catch up.
  void live();

  const Plan& plan() const { return plan_; }
  const Outside& outside() const { return outside_; }
  store::Store& store() { return *daemon_->store; }
  // The latest time at which all that was due had been decided.
  WallMs decided_until() const { return decided_until_; }
  // The triggers that a person fired, with success.
  const std::vector<std::string>& fired_by_hand() const { return fired_by_hand_; }
  // The overlap policies to which each trigger was edited, in order.
  const Edits& edits() const { return edits_; }
  // Violations that were seen on the way.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  Process choose(const run::Record& record);
  std::int64_t now_ms() const { return clock_.mono_ns() / 1'000'000; }
  void open();
  void kill() { daemon_.reset(); }
  bool is_calm() const;
  // By chance, the threads of the store decide which call of the disk is the n-th. With an even
  // seed that makes no difference: all is done again at the same time.
  bool is_repeatable() const { return plan_.seed % 2 == 0; }

  // Lets time pass until then (by the clock that nobody sets), with everything that is due on the
  // way. `is_broken`: the store cannot be written, so nothing is waited for.
  void pass_until(std::int64_t ms, bool is_broken = false);
  void turn(bool is_broken = false);
  // The disk works again: everything that waited is done.
  void recover();
  void wait_for(const std::string& trigger, size_t occurrences);
  std::vector<Occurrence> occurrences(const std::string& trigger);

  void add_all();
  void act(const Action& action);
  void emit(Sample& sample);
  void deliver(Sample& sample);
  bool send(Delivered& delivery);
  void redeliver(Sample& sample);
  void publish(Sample& sample);
  void write_file(Sample& sample);
  void fire(Sample& sample);
  void pause(Sample& sample, bool is_pause);
  void edit(Sample& sample);
  void kill_for_a_while(Sample& sample);
  void break_disk(Sample& sample, Act act);
  void fill_disk(Sample& sample);
  void set_clock(Sample& sample);
  void sleep(Sample& sample);
  const PlannedTrigger& any_of(Sample& sample, std::string_view source) const;

  drover::testing::TestDirectory directory_{drover::testing::DirectoryPlace::memory};
  const Plan plan_;
  drover::testing::ManualClock clock_;
  const std::int64_t began_ms_;
  Home home_{directory_.file("config"), directory_.file("state"), directory_.file("run")};
  Processes processes_;
  std::map<std::string, int> started_;  // By trigger.
  Outside outside_;
  bool is_sound_ = true;  // The disk.
  WallMs decided_until_ = 0;
  std::vector<std::string> fired_by_hand_;
  Edits edits_;
  std::vector<std::string> problems_;
  std::unique_ptr<SimulatedDaemon> daemon_;
};

}  // namespace drover::triggers::month
