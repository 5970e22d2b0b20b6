// Secrets are the values of one run's environment that are never shown (R15, H3). A value belongs
// to them if its variable's name says that it is secret, or if the variable was given for this run
// (`drover run -e`, `env` in the API); kSecretNames lists the given ones. Common and very short
// values are left out (run/plain_values.h). Pure; a text is searched for all of them at once
// (run/value_search.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/value_search.h"

namespace drover::run {

inline constexpr std::string_view kRedacted = "[redacted]";

// A variable with the names of the variables that were given for a run, separated by commas. It is
// part of the run's environment: runs that this run starts inherit the values and the list.
inline constexpr std::string_view kSecretNames = "DROVER_SECRET_ENV";

class Secrets {
 public:
  Secrets() = default;
  // Of "NAME=value" variables.
  explicit Secrets(std::span<const std::string> environment) { add(environment); }

  void add(std::span<const std::string> environment);

  // `text` with every value replaced, also values that overlap. Tests count its `steps`.
  std::string hide(std::string_view text, size_t* steps = nullptr) const;

  size_t longest() const { return longest_; }
  std::vector<std::string> values() const;

 private:
  void take(std::string_view value);

  std::vector<std::string> values_;  // Sorted.
  ValueSearch search_;
  size_t longest_ = 0;
};

}  // namespace drover::run
