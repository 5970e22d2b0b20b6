// Secrets are the values of one run's environment that are never shown (R15, H3). A value belongs
// to them if its variable's name says that it is secret, or if the variable was given for this run
// (`drover run -e`, `env` in the API); kSecretNames lists the given ones. Common and very short
// values are left out (run/plain_values.h). Pure; a text is searched for all of them at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

  // `text` with every value replaced, also values that overlap.
  std::string hide(std::string_view text) const;

  size_t longest() const { return longest_; }
  std::vector<std::string> values() const;

 private:
  struct Value {
    std::uint32_t begin;  // Its first four bytes.
    std::string text;
    bool is_alone;  // Hidden only where it stands alone.
  };
  static std::uint32_t begin_of(const char* text);
  static size_t slot_of(std::uint32_t begin) { return (begin * 2654435761U) >> 20; }
  void take(std::string_view value);
  size_t match(std::string_view text, size_t at) const;

  std::vector<Value> values_;  // By their first bytes.
  // Which beginnings exist. Most places of a text are rejected here.
  std::array<bool, 4096> known_{};
  size_t longest_ = 0;
};

}  // namespace drover::run
