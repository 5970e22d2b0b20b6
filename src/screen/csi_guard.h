// A CsiGuard changes control sequences (ESC [ 1 ; 2 m) that libvterm cannot handle. With the
// libvterm of Debian 12, any program that prints could crash or block the daemon that draws its
// screen:
//
//   - libvterm has room for 16 arguments and does not count them, so more of them overwrite its
//     memory: the guard drops the separators beyond the 15th;
//   - libvterm repeats a letter without a width (ESC [ 3 b) forever: the Emulator repeats letters
//     itself.
//
// The guard must never leave a sequence before libvterm does. Where the two might differ, it stays
// inside: at worst something is missing in text that no terminal would show correctly. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

namespace drover::screen {

class CsiGuard {
 public:
  enum class Advice : std::uint8_t {
    pass,
    drop,    // Not for libvterm.
    repeat,  // Instead of it, cancel the sequence, and print the last letter `count` times more.
  };

  // About the next byte that was printed.
  Advice look_at(char c) {
    constexpr char kCancel = 0x18, kSubstitute = 0x1a, kEscape = 0x1b;
    const bool in_sequence = place_ == Place::sequence;
    if (c == kEscape) {
      place_ = Place::after_escape;
    } else if (c == kCancel || c == kSubstitute) {
      place_ = Place::text;
    } else if (place_ == Place::after_escape && c == '[') {
      *this = {};
      place_ = Place::sequence;
    } else if (c >= 0x40 && c <= 0x7e) {
      place_ = Place::text;  // The last byte of a sequence.
      if (in_sequence && c == 'b') return Advice::repeat;
    } else if (in_sequence && (c == ';' || c == ':')) {
      return ++separators_ <= kSeparatorsMax ? Advice::pass : Advice::drop;
    } else if (in_sequence && separators_ == 0 && c >= '0' && c <= '9') {
      number_ = std::min(kNumberMax, number_ * 10 + (c - '0'));
    } else if (in_sequence && c >= ' ') {
      is_plain_ = false;
    }
    return Advice::pass;
  }

  // Of the repetition that was found last. 0: it is another sequence that ends like one.
  int count() const { return is_plain_ ? std::max(1, number_) : 0; }

 private:
  static constexpr int kSeparatorsMax = 15;
  static constexpr int kNumberMax = 10'000;  // More than there are columns.
  enum class Place : std::uint8_t { text, after_escape, sequence };

  Place place_ = Place::text;
  bool is_plain_ = true;  // Only digits and separators.
  int separators_ = 0;
  int number_ = 0;  // The first argument.
};

}  // namespace drover::screen
