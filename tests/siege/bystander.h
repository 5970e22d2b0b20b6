// A Bystander is another user of the besieged daemon: with a token of its own scope, it starts one
// ordinary run after another, and knows what each must print and how it must end. It measures how
// long each takes. A request that fails during an outage is repeated with its key.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/siege/latency.h"
#include "tests/siege/target.h"

namespace drover::siege {

class Bystander {
 public:
  // Creates its token and its lane. The daemon must run.
  explicit Bystander(Target& target);

  // One run to its end: its truth is checked, its latency recorded, unless there was an outage.
  void run_one();
  // From now on the latencies are those of the siege.
  void begin_siege() { during_ = &siege_; }
  void end_siege() { during_ = &after_; }

  // Nothing that was acknowledged is lost, and every command was executed once.
  void expect_nothing_lost();
  // Before or after the siege, whichever was slower: other programs use the machine, too.
  const Latencies& quiet() const { return before_.median() > after_.median() ? before_ : after_; }
  const Latencies& siege() const { return siege_; }

 private:
  struct FinishedRun {
    std::string id;
    int code = 0;
  };
  // The record of the finished run.
  tests::DaemonAnswer submit_and_wait(int number, int code, long calm);
  // By the ids of the runs.
  std::map<std::string, boost::json::object> all_records() const;
  void expect_true(const tests::DaemonAnswer& record, int number, int code);

  Target& target_;
  std::string token_, scroll_;  // Every command writes its number into the scroll.
  int next_ = 0;
  std::vector<FinishedRun> finished_;
  std::set<int> never_launched_;  // The disk was full.
  Latencies before_, siege_, after_;
  Latencies* during_ = &before_;
};

}  // namespace drover::siege
