// What a person sees of `drover run --each`: a line of progress, and the failures. Pure.
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
  size_t failed = 0;  // Of those.
  size_t known = 0;   // Inputs so far.
  bool all_known = false;
  double per_second = 0;  // Lately.
};

// "━━━━━━──── 3,021/5,000 · 2 failed · 1,905/s · 1s left"
std::string say_progress(const EachProgress& progress);

// How many a second lately: each moment counts half as much as the one two seconds later.
class Rate {
 public:
  void see(size_t done, std::int64_t at_ms);
  double per_second() const { return weight_ > 0 ? sum_ / weight_ : 0; }

 private:
  std::int64_t at_ms_ = -1;
  size_t done_ = 0;
  double sum_ = 0;
  double weight_ = 0;  // Of all moments so far: at first there are few, and each counts for more.
};

// How many jobs ended in which state.
struct EachEnds {
  size_t completed = 0;
  std::map<std::string, size_t> others = {};  // "failed", "timed_out", "refused" …
  size_t never_started = 0;
  bool detached = false;  // Nobody waited: the completed ones are those that were submitted.
};

// "5 completed, 1 failed, 2 not started"
std::string say_ends(const EachEnds& ends);

struct EachFailure {
  std::string run;     // Empty: the request was refused, and there is no run.
  std::string ending;  // "2", "KILL", "-".
  std::string state;
  std::string why;  // Empty: the command itself decided to fail.
  std::string input;
};

EachFailure failure_of(const boost::json::object& record, std::string input);
EachFailure failure_of(const Error& refusal, std::string input);
// Why all of them failed, if it is one reason: it is said once, below the table.
std::string common_why(const std::vector<EachFailure>& failures);
std::string failure_table(const std::vector<EachFailure>& failures, const Screen& screen);

// One line of --json: what became of an input.
boost::json::object outcome_of(const boost::json::object& record, std::string_view input);

}  // namespace drover::cli
