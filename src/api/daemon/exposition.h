// An Exposition is a list of metrics in Prometheus' text format, version 0.0.4: for each family its
// help and its type, then its samples. Pure.
//
//   # HELP drover_runs_total Runs that have finished, by their final state.
//   # TYPE drover_runs_total counter
//   drover_runs_total{kind="command",state="completed"} 17
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/histogram.h"

namespace drover::api {

class Exposition {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  // Begins a family; the following samples belong to it.
  Exposition& counter(std::string_view name, std::string_view help);
  Exposition& gauge(std::string_view name, std::string_view help);
  Exposition& histogram(std::string_view name, std::string_view help);

  Exposition& sample(double value, const Labels& labels = {});
  Exposition& sample(const Histogram& histogram, const Labels& labels = {});

  std::string take() { return std::move(text_); }

 private:
  Exposition& family(std::string_view name, std::string_view help, std::string_view type);
  void line(std::string_view suffix, const Labels& labels, double value);

  std::string text_;
  std::string_view name_;
};

}  // namespace drover::api
