#include "cli/batch/jobs.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "wire/word.h"

namespace drover::cli {
namespace {

constexpr std::string_view kPlace = "{}";

std::string head_of(const boost::json::object& shared) {
  std::string text = boost::json::serialize(shared);
  text.pop_back();
  return text + (shared.empty() ? "" : ",") + "\"command\":";
}

}  // namespace

std::vector<std::string> fill(const std::vector<std::string>& words, bool shell,
                              std::string_view input) {
  if (shell) {
    std::string script;
    for (const std::string& word : words) script += (script.empty() ? "" : " ") + word;
    return {"/bin/sh", "-c", script, "sh", std::string(input)};
  }
  std::vector<std::string> out = words;
  bool placed = false;
  for (std::string& word : out) {
    for (size_t at = 0; (at = word.find(kPlace, at)) != std::string::npos; at += input.size()) {
      word.replace(at, kPlace.size(), input);
      placed = true;
    }
  }
  if (!placed) out.emplace_back(input);
  return out;
}

Jobs::Jobs(JobPlan plan)
    : plan_(std::move(plan)), head_(head_of(plan_.shared)), inputs_(plan_.separator) {}

std::optional<Job> Jobs::next() {
  if (!given_back_.empty()) {
    Job job = std::move(given_back_.front());
    given_back_.pop_front();
    return job;
  }
  std::optional<std::string> input = inputs_.take();
  if (!input) return std::nullopt;
  boost::json::array command;
  for (const std::string& word : fill(plan_.words, plan_.shell, *input)) {
    command.push_back(wire::word_of(word));
  }
  return Job{.input = std::move(*input),
             .key = plan_.key + "-" + std::to_string(++numbered_),
             .body = head_ + boost::json::serialize(command) + "}"};
}

}  // namespace drover::cli
