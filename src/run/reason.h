// The reasons why runs finish: a closed list (R3). Adding one changes the contract.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::run {

enum class Reason : std::uint8_t {
  exit_zero,
  exit_nonzero,
  signaled,
  launch_failed,
  canceled_by_owner,
  cancel_forced,
  dependency_failed,
  timeout,
  idle_timeout,
  output_limit,
  keeper_lost,
  host_restarted,
  lost_ownership,
  no_report,
  out_of_memory
};

// The cause of the end.
enum class Origin : std::uint8_t { process, launch, runtime, host, provider, owner };

namespace detail {
inline constexpr std::array<std::string_view, 15> kReasonNames{
    "exit_zero",     "exit_nonzero",      "signaled",       "launch_failed", "canceled_by_owner",
    "cancel_forced", "dependency_failed", "timeout",        "idle_timeout",  "output_limit",
    "keeper_lost",   "host_restarted",    "lost_ownership", "no_report",     "out_of_memory"};
inline constexpr std::array<std::string_view, 6> kOriginNames{"process", "launch",   "runtime",
                                                              "host",    "provider", "owner"};

template <class Enum, size_t N>
constexpr std::optional<Enum> find(const std::array<std::string_view, N>& names,
                                   std::string_view text) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}
}  // namespace detail

constexpr std::string_view name(Reason r) {
  return detail::kReasonNames[static_cast<size_t>(r)];
}
constexpr std::string_view name(Origin o) {
  return detail::kOriginNames[static_cast<size_t>(o)];
}
constexpr std::optional<Reason> reason_named(std::string_view text) {
  return detail::find<Reason>(detail::kReasonNames, text);
}
constexpr std::optional<Origin> origin_named(std::string_view text) {
  return detail::find<Origin>(detail::kOriginNames, text);
}

}  // namespace drover::run
