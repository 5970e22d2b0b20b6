// KnownProblems are the problems of the files that declare triggers, as the last pass found them,
// and those of each file that were reported: a problem that stays is reported once. Pure.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/transaction.h"
#include "triggers/declared/problem.h"

namespace drover::triggers {

class KnownProblems {
 public:
  using ByFile = std::map<std::string, std::vector<Problem>>;

  // The files whose `problems` differ from the reported ones; a file without any has solved them.
  ByFile unreported(const std::vector<Problem>& problems) const;
  // Call it when the report is stored.
  void set_reported(const std::string& file, const std::vector<Problem>& problems) {
    reported_[file] = problems;
  }
  // Call it after the reports: while the store can be written, nobody sees a problem, or its
  // solution, before its event.
  void set_current(std::vector<Problem> problems) { current_ = std::move(problems); }
  const std::vector<Problem>& current() const { return current_; }

 private:
  std::vector<Problem> current_;
  ByFile reported_;
};

// Appends the event about the problems of a file, for the owner alone: they contain paths and
// commands.
store::Work report_work(const std::string& file, const std::vector<Problem>& problems);

}  // namespace drover::triggers
