// The kinds of runs that the room `play` adds (run/kind.h): play session, preparation step, and
// runtime.
#pragma once

#include <array>

#include "play/phase.h"
#include "run/kind.h"

namespace drover::play {

inline constexpr std::string_view kPlay = "play";
inline constexpr std::string_view kStep = "step";
inline constexpr std::string_view kRuntime = "runtime";

// The lane of steps and runtimes. It is reserved: another run in it would make a person wait.
inline constexpr std::string_view kLane = "play";

// P7: no API can cancel preparation.
inline constexpr std::string_view kNotCancellable =
    "prepares a project, and preparation cannot be canceled; `drover play stop` stops the runtime, "
    "or a step that is still queued";
// Steps and runtimes run again only with the next play.
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
     .grace_ms = 0,  // P7: a runtime is killed, whatever grace was asked for.
     .not_retriable = kNotRetriable,
     .ends_with_parent = true},
});

}  // namespace drover::play
