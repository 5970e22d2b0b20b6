// The life of a run: the table of which state may follow which (R2). `step` (run/change.h) asks it
// before every change of a run's state; the picture in docs/run.md is printed from this array.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::run {

enum class State : std::uint8_t {
  queued,
  starting,
  running,
  completed,
  failed,
  canceled,
  timed_out,
  abandoned
};
inline constexpr auto kStates =
    std::to_array<State>({State::queued, State::starting, State::running, State::completed,
                          State::failed, State::canceled, State::timed_out, State::abandoned});

// The things that can happen to a run; facts, in the past tense.
enum class Happening : std::uint8_t {
  claimed,
  started,
  completed,
  failed,
  canceled,
  timed_out,
  abandoned
};
inline constexpr auto kHappenings = std::to_array<Happening>(
    {Happening::claimed, Happening::started, Happening::completed, Happening::failed,
     Happening::canceled, Happening::timed_out, Happening::abandoned});

struct Step {
  State from;
  Happening happening;
  State to;
};

inline constexpr auto kLife = std::to_array<Step>({
    {State::queued, Happening::claimed, State::starting},
    // on_restart: fail, and the daemon restarted.
    {State::queued, Happening::failed, State::failed},
    {State::queued, Happening::canceled, State::canceled},  // Never spawns.
    // R2: a run that has not started may reach every finished state except `completed`. Nothing
    // produces these two yet: timeouts count from the start, and a queued run survives a restart.
    {State::queued, Happening::timed_out, State::timed_out},
    {State::queued, Happening::abandoned, State::abandoned},
    {State::starting, Happening::started, State::running},
    {State::starting, Happening::failed, State::failed},  // launch_failed, with the step.
    {State::starting, Happening::canceled, State::canceled},
    {State::starting, Happening::timed_out, State::timed_out},
    {State::starting, Happening::abandoned, State::abandoned},
    {State::running, Happening::completed, State::completed},
    {State::running, Happening::failed, State::failed},
    {State::running, Happening::canceled, State::canceled},
    {State::running, Happening::timed_out, State::timed_out},
    {State::running, Happening::abandoned, State::abandoned},
});

constexpr std::optional<State> next(State from, Happening happening) {
  for (const Step& step : kLife) {
    if (step.from == from && step.happening == happening) return step.to;
  }
  return std::nullopt;
}

// The happenings that lead into a finished state.
constexpr Happening happening_of(State finished) {
  return static_cast<Happening>(static_cast<int>(Happening::completed) +
                                static_cast<int>(finished) - static_cast<int>(State::completed));
}

constexpr bool is_finished(State state) {
  return std::ranges::none_of(kLife, [=](const Step& s) { return s.from == state; });
}
constexpr bool is_active(State state) {
  return !is_finished(state);
}
// Takes a slot of its lane.
constexpr bool holds_slot(State state) {
  return is_active(state) && state != State::queued;
}

constexpr std::string_view name(State state) {
  constexpr std::array<std::string_view, kStates.size()> kNames{
      "queued", "starting", "running", "completed", "failed", "canceled", "timed_out", "abandoned"};
  return kNames[static_cast<size_t>(state)];
}
constexpr std::string_view name(Happening happening) {
  constexpr std::array<std::string_view, kHappenings.size()> kNames{
      "claimed", "started", "completed", "failed", "canceled", "timed_out", "abandoned"};
  return kNames[static_cast<size_t>(happening)];
}
constexpr std::optional<State> state_named(std::string_view text) {
  for (const State state : kStates) {
    if (name(state) == text) return state;
  }
  return std::nullopt;
}

// Properties of the table that the compiler checks.
namespace promise {

constexpr bool finished_is_final() {
  return std::ranges::all_of(std::array{State::completed, State::failed, State::canceled,
                                        State::timed_out, State::abandoned},
                             [](State s) { return is_finished(s); });
}
constexpr bool every_active_state_can_end() {
  return std::ranges::all_of(kStates, [](State s) {
    return is_finished(s) || std::ranges::any_of(kLife, [=](const Step& step) {
             return step.from == s && is_finished(step.to);
           });
  });
}
constexpr bool every_state_is_reachable() {
  return std::ranges::all_of(kStates, [](State s) {
    return s == State::queued ||
           std::ranges::any_of(kLife, [=](const Step& step) { return step.to == s; });
  });
}
constexpr bool nothing_returns() {  // So a life has at most four states.
  return std::ranges::all_of(kLife, [](const Step& step) { return step.from < step.to; });
}
constexpr bool one_answer_each() {
  return std::ranges::all_of(kLife, [](const Step& a) {
    return std::ranges::count_if(kLife, [&](const Step& b) {
             return a.from == b.from && a.happening == b.happening;
           }) == 1;
  });
}
constexpr bool only_the_running_complete() {
  return std::ranges::all_of(kLife, [](const Step& step) {
    return step.to != State::completed || step.from == State::running;
  });
}

}  // namespace promise
static_assert(promise::finished_is_final());
static_assert(promise::every_active_state_can_end());
static_assert(promise::every_state_is_reachable());
static_assert(promise::nothing_returns());
static_assert(promise::one_answer_each());
static_assert(promise::only_the_running_complete());

}  // namespace drover::run
