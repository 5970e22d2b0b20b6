// Each is `drover run --each` under way: inputs in, a run for every one of them, so many at once,
// and the failures out. One loop over one poll.
//
//   Ctrl-C, TERM   no further runs; those under way are canceled; a second time: without grace
//   HUP            leave those under way running and go
#pragma once

#include <poll.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "cli/attached.h"
#include "cli/carrier.h"
#include "cli/each_view.h"
#include "cli/inputs.h"

namespace drover::cli {

struct EachPlan {
  boost::json::object shared;      // The request without its command.
  std::vector<std::string> words;  // The command; {} is the input's place.
  bool shell = false;              // The words are a script, and the input is its $1.
  bool detach = false;             // Print the ids and do not wait.
  size_t at_once = 1;
  char separator = '\n';
  Fd source;
  std::string key;  // That of the n-th input is KEY-n.
};

// The command for one input: it takes the place of every {} in the words, or else comes last. With
// `shell` it is $1, and never part of the script.
std::vector<std::string> fill(const std::vector<std::string>& words, bool shell,
                              std::string_view input);

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
  std::optional<Job> next_job();
  Result<> take(Carrier& carrier);
  Result<> tell(const boost::json::object& record, std::string input);
  Result<> tell(const Error& error, std::string input);
  void hear();
  void cancel(const Job& job);
  void show_progress();
  void wait();
  size_t busy() const;
  Result<int> conclude();

  Context& context_;
  Interrupts& interrupts_;
  EachPlan plan_;
  std::string head_;  // The request up to its command.
  Inputs inputs_;
  std::vector<Carrier> carriers_;
  std::deque<Job> unmade_;  // Sent behind a run that took its time; they are next.
  std::vector<pollfd> polls_;
  size_t begun_ = 0;
  size_t done_ = 0;
  size_t failed_ = 0;
  std::vector<EachFailure> failures_;
  Rate rate_;
  std::int64_t began_ms_;
  std::int64_t drawn_ms_;
  int cancels_ = 0;
  bool leave_ = false;
};

}  // namespace drover::cli
