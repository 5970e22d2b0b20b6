// Each runs `drover run --each`: it reads inputs, starts a run for each of them, several at once,
// and reports the failures. One loop over one poll.
//
//   Ctrl-C, TERM   start no more runs and cancel the active ones; a second time: without grace
//   HUP            detach: leave the active runs running and exit
#pragma once

#include <poll.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "cli/batch/jobs.h"
#include "cli/client/carrier.h"
#include "cli/terminal/attached.h"
#include "cli/views/each_view.h"

namespace drover::cli {

struct EachPlan {
  JobPlan jobs;
  bool detach = false;  // Print the ids and do not wait.
  size_t at_once = 1;
  Fd source;
  std::string lane = {};
};

class Each {
 public:
  // `context` and `interrupts` must outlive it.
  Each(Context& context, Interrupts& interrupts, EachPlan plan);

  // Returns 0, 123 if some runs failed, or 130 after Ctrl-C. An error: the batch could not
  // continue.
  Result<int> until_end();

 private:
  Result<> turn();
  Result<> read_source();
  void feed();
  Result<> take(Carrier& carrier);
  Result<> report_outcome(const boost::json::object& record, std::string input);
  Result<> report_refusal(const Error& error, std::string input);
  void handle_signals();
  Result<boost::json::object> find(const Job& job);
  void cancel(const std::string& run);
  void cancel_all();
  void explain_wait();
  std::string still_active(const Error& error);
  void show_progress();
  void wait();
  size_t busy() const;
  // Returns the exit code.
  Result<int> print_summary();

  Context& context_;
  Interrupts& interrupts_;
  EachPlan plan_;
  Jobs jobs_;
  std::vector<Carrier> carriers_;
  std::vector<pollfd> polls_;
  size_t done_ = 0;
  size_t failed_ = 0;
  std::map<std::string, size_t> failed_in_;  // By final state.
  std::vector<EachFailure> failures_;
  Rate rate_;
  std::int64_t began_ms_;
  std::int64_t drawn_ms_;
  int cancels_ = 0;
  bool leave_ = false;
  bool explained_wait_ = false;
};

}  // namespace drover::cli
