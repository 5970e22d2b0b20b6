// A RunState is a run's state as clients read it: its name in records and in events (`run.failed`),
// and whether it is final. The daemon's own table is run/life.h; a test compares the two.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::wire {

enum class RunState : std::uint8_t {
  queued,
  starting,
  running,
  completed,
  failed,
  canceled,
  timed_out,
  abandoned
};

inline constexpr auto kRunStateNames = std::to_array<std::string_view>(
    {"queued", "starting", "running", "completed", "failed", "canceled", "timed_out", "abandoned"});

constexpr std::optional<RunState> run_state_named(std::string_view text) {
  for (size_t i = 0; i < kRunStateNames.size(); ++i) {
    if (kRunStateNames[i] == text) return static_cast<RunState>(i);
  }
  return std::nullopt;
}

constexpr bool is_finished(RunState state) {
  return state >= RunState::completed;
}

}  // namespace drover::wire
