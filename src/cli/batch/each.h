// Each is `drover run --each` under way: inputs in, a run for every one of them, so many at once,
// and the failures out. One loop over one poll.
//
//   Ctrl-C, TERM   no further runs; those under way are canceled; a second time: without grace
//   HUP            leave those under way running and go
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
};

class Each {
 public:
  // `context` and `interrupts` must outlive it.
  Each(Context& context, Interrupts& interrupts, EachPlan plan);

  // 0, 123 if some failed, or 130 after Ctrl-C. An error: nobody could go on.
  Result<int> until_end();

 private:
  Result<> turn();
  Result<> read_source();
  void feed();
  Result<> take(Carrier& carrier);
  Result<> tell(const boost::json::object& record, std::string input);
  Result<> tell_refusal(const Error& error, std::string input);
  void hear();
  void cancel(const Job& job);
  void show_progress();
  void wait();
  size_t busy() const;
  Result<int> conclude();

  Context& context_;
  Interrupts& interrupts_;
  EachPlan plan_;
  Jobs jobs_;
  std::vector<Carrier> carriers_;
  std::vector<pollfd> polls_;
  size_t done_ = 0;
  size_t failed_ = 0;
  std::map<std::string, size_t> failed_in_;  // By the state that they ended in.
  std::vector<EachFailure> failures_;
  Rate rate_;
  std::int64_t began_ms_;
  std::int64_t drawn_ms_;
  int cancels_ = 0;
  bool leave_ = false;
};

}  // namespace drover::cli
