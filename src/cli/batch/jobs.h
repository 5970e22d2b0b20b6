// Jobs are the inputs of `drover run --each` as requests, in order, each with its key. What comes
// back because it did not begin is given out again first.
#pragma once

#include <boost/json/object.hpp>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/batch/inputs.h"

namespace drover::cli {

struct Job {
  std::string input;
  std::string key;
  std::string body;  // JSON, as POST /api/runs takes it.
};

struct JobPlan {
  boost::json::object shared;      // The request without its command.
  std::vector<std::string> words;  // The command; {} is the input's place.
  bool shell = false;              // The words are a script, and the input is its $1.
  char separator = '\n';
  std::string key;  // That of the n-th input is KEY-n.
};

// The command for one input: it takes the place of every {} in the words, or else comes last. With
// `shell` it is $1, and never part of the script.
std::vector<std::string> fill(const std::vector<std::string>& words, bool shell,
                              std::string_view input);

class Jobs {
 public:
  explicit Jobs(JobPlan plan);

  Inputs& inputs() { return inputs_; }
  const Inputs& inputs() const { return inputs_; }
  std::optional<Job> next();  // Nothing: no input is known that has not been given out.
  void give_back(Job job) { given_back_.push_back(std::move(job)); }

 private:
  JobPlan plan_;
  std::string head_;  // A request up to its command: the same for all, written once.
  Inputs inputs_;
  std::deque<Job> given_back_;
  size_t numbered_ = 0;
};

}  // namespace drover::cli
