// A Zoo is a flock that runs animals, and checks how each of them finishes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/harness.h"
#include "tests/zoo/witness.h"

namespace drover::zoo {

struct Range {
  int min = 0;
  int max = 0;
};

// How a run must have finished, and what its receipt must contain. -1: none, or not recorded.
struct Ending {
  std::string state = "completed";
  std::string reason = "exit_zero";
  int exit_code = -1;
  int signal = -1;
  long stdout_bytes = 0;  // -1: any.
  long stderr_bytes = 0;
  Range orphans = {};   // Outlived the command.
  Range signaled = {};  // Were sent TERM or KILL.
  bool termed = false;
  bool killed = false;
  bool has_receipt = true;  // Without a keeper there is none.
};

class Zoo : public ::testing::Test {
 protected:
  Zoo();

  // Starts an animal as a run; returns the run's id. The word "LOCK" is replaced by the path of the
  // daemon's lock.
  std::string let_loose(const std::string& animal, const std::vector<std::string>& words = {},
                        const std::vector<std::string>& options = {});
  // Waits until the run has finished, and compares everything.
  boost::json::object expect_ended(const std::string& id, const Ending& ending);
  void expect_receipt(const boost::json::object& receipt, const Ending& ending);

  // Without cgroups, as for a daemon that may not create any. Call it first.
  void take_cgroups_away() { flock_.environment["DROVER_CGROUP"] = "off"; }
  // Whether a process of a run is in a cgroup of the run.
  static bool is_contained(pid_t process);

  std::string den() const { return flock_.file("den"); }
  void wait_until_ready() const { flock_.wait_for_file("den/ready"); }

  tests::Flock flock_;
  AnimalWitness witness_;
  std::string program_ = DROVER_BIN "/zoo_animal";
};

}  // namespace drover::zoo
