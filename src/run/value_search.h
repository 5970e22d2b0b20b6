// A ValueSearch finds a set of values in a text, all of them at once and in one pass: the automaton
// of Aho and Corasick. Building it is linear in the values, a search in the text, whatever they
// repeat: both come from callers, and are handled on the daemon's loop. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drover::run {

class ValueSearch {
 public:
  struct Found {
    size_t begin;
    size_t end;
  };

  ValueSearch() = default;
  // `values` are sorted, and none of them is empty or there twice. A short word is found only where
  // it stands alone (run/plain_values.h).
  explicit ValueSearch(std::span<const std::string> values);

  // Where the text contains values. Places that overlap are one; they are in the text's order.
  // Tests: `steps` counts the moves between states.
  std::vector<Found> find(std::string_view text, size_t* steps = nullptr) const;

  // Of the build; tests count them.
  size_t steps() const { return steps_; }

 private:
  // A state is a beginning of some values, numbered by length; state 0 is the empty one, and no
  // state's child.
  using State = std::uint32_t;

  void add_child(State state, char byte);
  void take_value(State state, std::string_view value);
  State child(State state, char byte) const;
  State next(State state, char byte, size_t& steps) const;
  size_t alone_at(State state, std::string_view text, size_t end) const;

  std::string byte_;            // The last byte of each state.
  std::vector<State> child_;    // The first child of each; its children end where the next's begin.
  std::vector<State> shorter_;  // The longest end of a state that is a state itself.
  std::vector<std::uint32_t> longest_;  // Of the values at the end of a state; 0: none.
  std::vector<std::uint8_t> alone_;     // Lengths of short words at the end of a state, as bits.
  std::array<State, 256> first_{};      // The children of state 0; 0: none.
  size_t steps_ = 0;
};

}  // namespace drover::run
