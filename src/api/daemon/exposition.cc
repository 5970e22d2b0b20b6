#include "api/daemon/exposition.h"

#include <fmt/format.h>

namespace drover::api {
namespace {

void append_label(std::string& out, std::string_view value) {
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

}  // namespace

Exposition& Exposition::counter(std::string_view name, std::string_view help) {
  return family(name, help, "counter");
}
Exposition& Exposition::gauge(std::string_view name, std::string_view help) {
  return family(name, help, "gauge");
}
Exposition& Exposition::histogram(std::string_view name, std::string_view help) {
  return family(name, help, "histogram");
}

Exposition& Exposition::family(std::string_view name, std::string_view help,
                               std::string_view type) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  return *this;
}

void Exposition::line(std::string_view suffix, const Labels& labels, double value) {
  text_.append(name_).append(suffix);
  char before = '{';
  for (const auto& [name, label] : labels) {
    text_ += before;
    text_.append(name).append("=\"");
    append_label(text_, label);
    text_ += '"';
    before = ',';
  }
  if (!labels.empty()) text_ += '}';
  text_ += fmt::format(" {:.15g}\n", value);  // Prints integers without a fraction.
}

Exposition& Exposition::sample(double value, const Labels& labels) {
  line("", labels, value);
  return *this;
}

Exposition& Exposition::sample(const Histogram& histogram, const Labels& labels) {
  Labels with = labels;
  with.emplace_back("le", "");
  for (size_t i = 0; i <= Histogram::kBounds.size(); ++i) {
    const std::string bound =
        i < Histogram::kBounds.size() ? fmt::format("{:g}", Histogram::kBounds[i]) : "+Inf";
    with.back().second = bound;
    line("_bucket", with, static_cast<double>(histogram.at_most(i)));
  }
  line("_sum", labels, histogram.sum());
  line("_count", labels, static_cast<double>(histogram.count()));
  return *this;
}

}  // namespace drover::api
