// The texts of `drover run --each`: the progress line and the failures. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

struct EachProgress {
  size_t done = 0;
  size_t failed = 0;  // Included in `done`.
  size_t known = 0;   // Inputs read so far.
  bool all_known = false;
  double per_second = 0;  // The recent rate.
};

// "━━━━━━──── 3,021/5,000 · 2 failed · 1,905/s · 1s left"
std::string say_progress(const EachProgress& progress);

// Why a lane does not start its `waiting` runs: it is paused, or full while as many are queued.
// Empty: it starts them.
std::string say_lane_wait(const boost::json::object& lane, size_t waiting);

// The recent rate per second, as an average whose weights halve every two seconds into the past.
class Rate {
 public:
  void see(size_t done, std::int64_t at_ms);
  double per_second() const { return weight_ > 0 ? sum_ / weight_ : 0; }

 private:
  std::int64_t at_ms_ = -1;
  size_t done_ = 0;
  double sum_ = 0;
  double weight_ = 0;  // The sum of all weights so far.
};

// How many jobs finished in each state.
struct EachEnds {
  size_t completed = 0;
  std::map<std::string, size_t> others = {};  // "failed", "timed_out", "refused" …
  size_t never_started = 0;
  bool detached = false;  // Did not wait: `completed` counts the submitted jobs.
};

// "5 completed, 1 failed, 2 not started"
std::string say_ends(const EachEnds& ends);

struct EachFailure {
  std::string run;     // Empty: the request was refused, so there is no run.
  std::string ending;  // "2", "KILL", "-".
  std::string state;
  std::string why;  // Empty: the command itself failed.
  std::string input;
};

EachFailure failure_of(const boost::json::object& record, std::string input);
EachFailure failure_of(const Error& refusal, std::string input);
// The reason, if all failures have the same one: it is printed once, below the table.
std::string common_why(const std::vector<EachFailure>& failures);
std::string failure_table(const std::vector<EachFailure>& failures, const Screen& screen);

// One line of --json: the outcome of one input.
boost::json::object outcome_of(const boost::json::object& record, std::string_view input);

}  // namespace drover::cli
