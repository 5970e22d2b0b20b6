#include "triggers/declared/problem_list.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/nearest.h"
#include "triggers/declared/limits.h"

namespace drover::triggers {

void ProblemList::add(const toml::source_position& at, std::string message) {
  if (problems_.size() >= kProblemsPerFileMax) return;
  problems_.push_back({.file = file_,
                       .line = std::max<size_t>(1, at.line),
                       .column = std::max<size_t>(1, at.column),
                       .message = std::move(message)});
}

std::vector<Problem> ProblemList::take() {
  std::ranges::sort(problems_, {},
                    [](const Problem& p) { return std::tie(p.line, p.column, p.message); });
  return std::move(problems_);
}

std::string did_you_mean(std::string_view text, std::span<const std::string> known) {
  const std::string best = nearest(text, known);
  return best.empty() ? "" : "; did you mean " + best + "?";
}

toml::source_position place_of_value(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  return node == nullptr ? table.source().begin : node->source().begin;
}

toml::source_position place_of_key(const toml::table& table, std::string_view key) {
  const auto found = table.find(key);
  return found == table.end() ? table.source().begin : found->first.source().begin;
}

}  // namespace drover::triggers
