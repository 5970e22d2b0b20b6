#include "run/value_search.h"

#include <algorithm>
#include <limits>

#include "run/characters.h"
#include "run/plain_values.h"

namespace drover::run {
namespace {

bool is_part_of_word(std::string_view text, size_t at) {
  return at < text.size() && (is_letter(text[at]) || is_digit(text[at]));
}

bool stands_alone(std::string_view text, size_t begin, size_t end) {
  return !(begin > 0 && is_part_of_word(text, begin - 1)) && !is_part_of_word(text, end);
}

}  // namespace

ValueSearch::ValueSearch(std::span<const std::string> values) {
  if (values.empty()) return;
  // The states of one length at a time, each with the values that begin with it.
  std::vector<std::span<const std::string>> level{values};
  std::vector<std::span<const std::string>> below;
  byte_ = std::string(1, '\0');
  shorter_ = {0};
  longest_ = {0};
  alone_ = {0};
  State state = 0;
  for (size_t length = 0; !level.empty(); ++length) {
    for (std::span<const std::string> begun : level) {
      child_.push_back(static_cast<State>(byte_.size()));
      if (length > 0) {
        longest_[state] = longest_[shorter_[state]];
        alone_[state] = alone_[shorter_[state]];
      }
      // Of the values with one beginning, the beginning itself is sorted first.
      if (begun.front().size() == length) {
        take_value(state, begun.front());
        begun = begun.subspan(1);
      }
      while (!begun.empty()) {
        const char byte = begun.front()[length];
        // Most states have one child; the values of many are searched for its end.
        const auto end =
            begun.back()[length] == byte
                ? begun.end()
                : std::ranges::upper_bound(begun, static_cast<unsigned char>(byte), {},
                                           [length](const std::string& value) {
                                             return static_cast<unsigned char>(value[length]);
                                           });
        const auto many = static_cast<size_t>(end - begun.begin());
        below.push_back(begun.first(many));
        begun = begun.subspan(many);
        add_child(state, byte);
      }
      ++state;
    }
    level.swap(below);
    below.clear();
  }
  child_.push_back(static_cast<State>(byte_.size()));
}

void ValueSearch::add_child(State state, char byte) {
  const auto added = static_cast<State>(byte_.size());
  // Of states that are shorter than `state`, all children are known.
  const State shorter = state == 0 ? 0 : next(shorter_[state], byte, steps_);
  byte_ += byte;
  shorter_.push_back(shorter);
  longest_.push_back(0);
  alone_.push_back(0);
  if (state == 0) first_[static_cast<unsigned char>(byte)] = added;
}

void ValueSearch::take_value(State state, std::string_view value) {
  if (is_short_word(value)) {
    alone_[state] = static_cast<std::uint8_t>(alone_[state] | 1U << value.size());
  } else {
    longest_[state] = static_cast<std::uint32_t>(value.size());
  }
}

ValueSearch::State ValueSearch::child(State state, char byte) const {
  if (state == 0) return first_[static_cast<unsigned char>(byte)];
  const auto begin = byte_.begin() + child_[state];
  const auto end = byte_.begin() + child_[state + 1];
  const auto found =
      std::lower_bound(begin, end, byte, [](unsigned char a, unsigned char b) { return a < b; });
  return found != end && *found == byte ? static_cast<State>(found - byte_.begin()) : 0;
}

// The longest state at the end of `state` and `byte`.
ValueSearch::State ValueSearch::next(State state, char byte, size_t& steps) const {
  for (;; state = shorter_[state]) {
    ++steps;
    const State found = child(state, byte);
    if (found != 0 || state == 0) return found;
  }
}

// The length of the longest short word that ends there and stands alone; 0: none.
size_t ValueSearch::alone_at(State state, std::string_view text, size_t end) const {
  for (size_t length = std::numeric_limits<std::uint8_t>::digits; length-- > 0;) {
    const bool is_there = (alone_[state] >> length & 1U) != 0;
    if (is_there && stands_alone(text, end - length, end)) return length;
  }
  return 0;
}

std::vector<ValueSearch::Found> ValueSearch::find(std::string_view text, size_t* steps) const {
  std::vector<Found> out;
  if (byte_.empty()) return out;
  State state = 0;
  size_t counted = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    state = next(state, text[at], counted);
    size_t length = longest_[state];
    if (alone_[state] != 0) length = std::max(length, alone_at(state, text, at + 1));
    if (length == 0) continue;
    Found found{at + 1 - length, at + 1};
    while (!out.empty() && out.back().end > found.begin) {
      found.begin = std::min(found.begin, out.back().begin);
      out.pop_back();
    }
    out.push_back(found);
  }
  if (steps != nullptr) *steps += counted;
  return out;
}

}  // namespace drover::run
