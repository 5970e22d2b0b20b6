// A Key is a key press in a full-screen view, parsed from the bytes of a terminal. Pure: the same
// bytes give the same keys, however they are split.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace drover::cli {

struct Key {
  enum class Name : std::uint8_t {
    letter,
    up,
    down,
    page_up,
    page_down,
    home,
    end,
    enter,
    escape,
    other
  };
  Name name = Name::other;
  char letter = 0;  // Only if the name is `letter`.
  friend bool operator==(const Key&, const Key&) = default;
};

// Takes the next key off the front of `bytes`. Empty: incomplete. If `pause` is set, a lone escape
// is the Escape key: a terminal sends whole sequences at once.
std::optional<Key> take_key(std::string& bytes, bool pause);

}  // namespace drover::cli
