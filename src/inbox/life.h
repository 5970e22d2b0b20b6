// The life of a question: the table of which state may follow which. A question is closed once, by
// the first of an answer, its deadline, a dismissal, or the withdrawal of the run that asked.
// inbox/decision.cc asks it before every change; the picture in docs/inbox.md is of this array.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::inbox {

enum class State : std::uint8_t { open, answered, expired, dismissed, withdrawn };
inline constexpr auto kStates = std::to_array<State>(
    {State::open, State::answered, State::expired, State::dismissed, State::withdrawn});

enum class Happening : std::uint8_t {
  answer,   // A person has answered.
  expiry,   // Its deadline has passed.
  dismiss,  // A person has removed it without an answer.
  withdraw  // The run that asked does not need an answer any more.
};
inline constexpr auto kHappenings = std::to_array<Happening>(
    {Happening::answer, Happening::expiry, Happening::dismiss, Happening::withdraw});

struct Transition {
  State from;
  Happening happening;
  State to;
};

inline constexpr auto kLife = std::to_array<Transition>({
    {State::open, Happening::answer, State::answered},
    {State::open, Happening::expiry, State::expired},
    {State::open, Happening::dismiss, State::dismissed},
    {State::open, Happening::withdraw, State::withdrawn},
});

constexpr std::optional<State> next(State from, Happening happening) {
  for (const Transition& step : kLife) {
    if (step.from == from && step.happening == happening) return step.to;
  }
  return std::nullopt;
}

constexpr bool is_open(State state) {
  return state == State::open;
}

constexpr std::string_view name(State state) {
  constexpr std::array<std::string_view, kStates.size()> kNames{"open", "answered", "expired",
                                                                "dismissed", "withdrawn"};
  return kNames[static_cast<size_t>(state)];
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
// The first that closes a question wins.
constexpr bool closed_is_final() {
  return std::ranges::all_of(kLife, [](const Transition& step) { return is_open(step.from); });
}
constexpr bool every_happening_closes() {
  return std::ranges::all_of(kHappenings, [](Happening happening) {
    const auto to = next(State::open, happening);
    return to && !is_open(*to);
  });
}
// The state of a question says how it was closed.
constexpr bool every_state_has_one_cause() {
  return std::ranges::all_of(kStates, [](State state) {
    const auto causes =
        std::ranges::count_if(kLife, [=](const Transition& step) { return step.to == state; });
    return causes == (is_open(state) ? 0 : 1);
  });
}

}  // namespace promise
static_assert(promise::one_answer_each());
static_assert(promise::closed_is_final());
static_assert(promise::every_happening_closes());
static_assert(promise::every_state_has_one_cause());

}  // namespace drover::inbox
