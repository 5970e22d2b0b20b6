// Jobs turns the inputs of `drover run --each` into requests, in order, each with its idempotency
// key. A job that is given back because it did not start is returned first.
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
  std::vector<std::string> words;  // The command; {} stands for the input.
  bool shell = false;              // The words are a script, and the input is its $1.
  char separator = '\n';
  std::string key;  // The prefix of the keys: the n-th input has KEY-n.
};

// The command for one input: the input replaces every {} in the words, or is appended. With `shell`
// it is $1, and never part of the script.
std::vector<std::string> fill(const std::vector<std::string>& words, bool shell,
                              std::string_view input);

class Jobs {
 public:
  explicit Jobs(JobPlan plan);

  Inputs& inputs() { return inputs_; }
  const Inputs& inputs() const { return inputs_; }
  std::optional<Job> next();  // Empty: no input is waiting.
  void give_back(Job job) { given_back_.push_back(std::move(job)); }

 private:
  JobPlan plan_;
  std::string head_;  // A request up to its command: the same for all jobs.
  Inputs inputs_;
  std::deque<Job> given_back_;
  size_t numbered_ = 0;
};

}  // namespace drover::cli
