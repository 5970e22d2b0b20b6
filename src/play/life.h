// The life of a play session (P8): the table of which state may follow which when a project is
// played. Play and Stop are requests; the table lists facts, in the past tense. play/phase.cc asks
// it before every change of a session's state; the picture in docs/play.md is printed from this
// array.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::play {

enum class State : std::uint8_t {
  idle,
  preparing,
  prepare_failed,
  connecting,
  running,
  runtime_failed,
  stopped
};
inline constexpr auto kStates =
    std::to_array<State>({State::idle, State::preparing, State::prepare_failed, State::connecting,
                          State::running, State::runtime_failed, State::stopped});

enum class Happening : std::uint8_t {
  played,              // Somebody pressed Play.
  prepared,            // Built, validated, packed, and the manifest is written.
  preparation_failed,  // A step failed, or the validation blocked the pack.
  confirmed,           // The runtime's exec has succeeded.
  failed,              // Preflight, spawn, or the runtime's exit without a Stop.
  ended                // The runtime finished: by Stop, or with exit code 0.
};
inline constexpr auto kHappenings =
    std::to_array<Happening>({Happening::played, Happening::prepared, Happening::preparation_failed,
                              Happening::confirmed, Happening::failed, Happening::ended});

struct Transition {
  State from;
  Happening happening;
  State to;
};

inline constexpr auto kLife = std::to_array<Transition>({
    {State::idle, Happening::played, State::preparing},
    {State::prepare_failed, Happening::played, State::preparing},
    {State::runtime_failed, Happening::played, State::preparing},
    {State::stopped, Happening::played, State::preparing},
    {State::preparing, Happening::prepared, State::connecting},
    {State::preparing, Happening::preparation_failed, State::prepare_failed},
    {State::connecting, Happening::confirmed, State::running},
    {State::connecting, Happening::failed, State::runtime_failed},
    {State::connecting, Happening::ended, State::stopped},  // Stop came before the confirmation.
    {State::running, Happening::failed, State::runtime_failed},
    {State::running, Happening::ended, State::stopped},
});

constexpr std::optional<State> next(State from, Happening happening) {
  for (const Transition& step : kLife) {
    if (step.from == from && step.happening == happening) return step.to;
  }
  return std::nullopt;
}

// Whether this happening leads some session into this state.
constexpr bool leads_to(Happening happening, State state) {
  return std::ranges::any_of(kLife, [=](const Transition& step) {
    return step.happening == happening && step.to == state;
  });
}

// Play starts a new play in these states; in all others it is ignored (P6).
constexpr bool is_at_rest(State state) {
  return next(state, Happening::played).has_value();
}
// There is, or will be in a moment, a runtime that Stop can kill (P7).
constexpr bool can_stop(State state) {
  return next(state, Happening::ended).has_value();
}

constexpr std::string_view name(State state) {
  constexpr std::array<std::string_view, kStates.size()> kNames{
      "idle", "preparing", "prepare_failed", "connecting", "running", "runtime_failed", "stopped"};
  return kNames[static_cast<size_t>(state)];
}
constexpr std::string_view name(Happening happening) {
  constexpr std::array<std::string_view, kHappenings.size()> kNames{
      "played", "prepared", "preparation_failed", "confirmed", "failed", "ended"};
  return kNames[static_cast<size_t>(happening)];
}
constexpr std::optional<Happening> happening_named(std::string_view text) {
  for (const Happening happening : kHappenings) {
    if (name(happening) == text) return happening;
  }
  return std::nullopt;
}
constexpr std::optional<State> state_named(std::string_view text) {
  for (const State state : kStates) {
    if (name(state) == text) return state;
  }
  return std::nullopt;
}

// Properties of the table, checked by the compiler.
namespace promise {

constexpr bool one_answer_each() {
  return std::ranges::all_of(kLife, [](const Transition& a) {
    return std::ranges::count_if(kLife, [&](const Transition& b) {
             return a.from == b.from && a.happening == b.happening;
           }) == 1;
  });
}
constexpr bool every_state_is_reachable() {
  return std::ranges::all_of(kStates, [](State s) {
    return s == State::idle ||
           std::ranges::any_of(kLife, [=](const Transition& step) { return step.to == s; });
  });
}
// P6: every state that is not at rest can reach rest, and Play never interrupts it.
constexpr bool play_is_for_those_at_rest() {
  return std::ranges::all_of(kLife, [](const Transition& step) {
    return (step.happening == Happening::played) == (step.to == State::preparing);
  });
}
constexpr bool everything_can_rest() {
  return std::ranges::all_of(kStates, [](State s) {
    return is_at_rest(s) || std::ranges::any_of(kLife, [=](const Transition& step) {
             return step.from == s && (is_at_rest(step.to) || step.to > s);
           });
  });
}
// P1: only preparation leads to a runtime.
constexpr bool only_the_prepared_connect() {
  return std::ranges::all_of(kLife, [](const Transition& step) {
    return step.to != State::connecting || step.from == State::preparing;
  });
}
// P7: Stop has no effect while preparing.
constexpr bool preparation_is_not_stopped() {
  return !can_stop(State::preparing) && can_stop(State::connecting) && can_stop(State::running);
}

}  // namespace promise
static_assert(promise::one_answer_each());
static_assert(promise::every_state_is_reachable());
static_assert(promise::play_is_for_those_at_rest());
static_assert(promise::everything_can_rest());
static_assert(promise::only_the_prepared_connect());
static_assert(promise::preparation_is_not_stopped());

}  // namespace drover::play
