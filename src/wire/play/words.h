// The names of the room play as clients read them: its kinds of runs, the stages of a play (also
// the sources of its log), and the states of a play session. The daemon has its own tables; a test
// compares them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::wire::play {

inline constexpr std::string_view kPlayKind = "play";        // A play session.
inline constexpr std::string_view kStepKind = "step";        // A step of its preparation.
inline constexpr std::string_view kRuntimeKind = "runtime";  // The program that it plays.

inline constexpr std::string_view kBuild = "build";
inline constexpr std::string_view kValidation = "pack-validation";
inline constexpr std::string_view kPack = "pack";
inline constexpr std::string_view kManifest = "manifest";
inline constexpr std::string_view kRuntime = "runtime";
inline constexpr auto kStages =
    std::to_array<std::string_view>({kBuild, kValidation, kPack, kManifest, kRuntime});

enum class PlayState : std::uint8_t {
  idle,
  preparing,
  prepare_failed,
  connecting,
  running,
  runtime_failed,
  stopped
};

inline constexpr auto kSessionStateNames = std::to_array<std::string_view>(
    {"idle", "preparing", "prepare_failed", "connecting", "running", "runtime_failed", "stopped"});

constexpr std::optional<PlayState> session_state_named(std::string_view text) {
  for (size_t i = 0; i < kSessionStateNames.size(); ++i) {
    if (kSessionStateNames[i] == text) return static_cast<PlayState>(i);
  }
  return std::nullopt;
}

// Play starts a new play in these states.
constexpr bool is_at_rest(PlayState state) {
  return state != PlayState::preparing && state != PlayState::connecting &&
         state != PlayState::running;
}

}  // namespace drover::wire::play
