// The kinds of runs there are, and what sets each apart. Most are commands. A play is a composite:
// nothing of it is ever spawned; it is made of other runs, and holds no slot, for they do.
#pragma once

#include <string_view>

namespace drover::run {

inline constexpr std::string_view kCommand = "command";
inline constexpr std::string_view kPlay = "play";        // A play session.
inline constexpr std::string_view kStep = "step";        // What prepares a project for it.
inline constexpr std::string_view kRuntime = "runtime";  // What it plays.

// Where steps and runtimes stand.
inline constexpr std::string_view kPlayLane = "play";

constexpr bool is_composite(std::string_view kind) {
  return kind == kPlay;
}
// P7: preparation is not stopped, by no door.
constexpr bool can_be_canceled(std::string_view kind) {
  return kind != kPlay && kind != kStep;
}
// P7: a runtime is killed, whatever patience was asked for.
constexpr bool ends_at_once(std::string_view kind) {
  return kind == kRuntime;
}
// What a play is made of.
constexpr bool belongs_to_play(std::string_view kind) {
  return kind == kStep || kind == kRuntime;
}
// The lane of plays is theirs alone: whoever else stood there would keep a person waiting.
constexpr bool may_stand_in(std::string_view lane, std::string_view kind) {
  return lane != kPlayLane || belongs_to_play(kind);
}
// What belongs to a play comes again with the next one, and not by itself.
constexpr bool is_retriable(std::string_view kind) {
  return kind == kCommand;
}

}  // namespace drover::run
