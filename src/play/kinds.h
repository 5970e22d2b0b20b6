// The kinds of runs that the room `play` brings (run/kind.h): a play session, what prepares a
// project for it, and the runtime that it plays.
#pragma once

#include <array>

#include "play/phase.h"
#include "run/kind.h"

namespace drover::play {

inline constexpr std::string_view kPlay = "play";
inline constexpr std::string_view kStep = "step";
inline constexpr std::string_view kRuntime = "runtime";

// Where steps and runtimes stand: whoever else stood there would keep a person waiting.
inline constexpr std::string_view kLane = "play";

// P7: no door cancels the preparation.
inline constexpr std::string_view kNotCancellable =
    "prepares a project, and preparation cannot be canceled; `drover play stop` stops the runtime, "
    "or a step that is still queued";
// It comes again with the next play, and not by itself.
inline constexpr std::string_view kNotRetriable =
    "belongs to a play and cannot be retried by itself; run `drover play` again";

inline constexpr auto kKinds = std::to_array<run::Kind>({
    {.name = kPlay,
     .composite = true,
     .lane = kLane,
     .not_cancellable = kNotCancellable,
     .not_retriable = kNotRetriable,
     .one_per_scope = true,  // P6: the scope is the project's.
     .phase = &phase_rule,
     .first_change = kFirstChange,
     .phase_field = "session",
     .current_child = &current_child,
     .signal_target = &signal_target},
    {.name = kStep,
     .lane = kLane,
     .not_cancellable = kNotCancellable,
     .not_retriable = kNotRetriable},
    {.name = kRuntime,
     .lane = kLane,
     .grace_ms = 0,  // P7: a runtime is killed, whatever patience was asked for.
     .not_retriable = kNotRetriable,
     .ends_with_parent = true},
});

}  // namespace drover::play
