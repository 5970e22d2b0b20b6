// A Key is a key press at a full screen, parsed from the bytes that a terminal sends. Pure: the
// same bytes give the same keys, wherever they were cut.
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
  char letter = 0;  // Of a letter.
  friend bool operator==(const Key&, const Key&) = default;
};

// Takes the next key off the front of `bytes`. Nothing: it is not whole yet. An escape that nothing
// follows is the key itself if `pause` is set: a person pressed it.
std::optional<Key> take_key(std::string& bytes, bool pause);

}  // namespace drover::cli
