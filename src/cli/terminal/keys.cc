#include "cli/terminal/keys.h"

#include <array>
#include <string_view>
#include <utility>

namespace drover::cli {
namespace {

constexpr auto kSequences = std::to_array<std::pair<std::string_view, Key::Name>>({
    {"\x1b[A", Key::Name::up},
    {"\x1b[B", Key::Name::down},
    {"\x1bOA", Key::Name::up},
    {"\x1bOB", Key::Name::down},
    {"\x1b[5~", Key::Name::page_up},
    {"\x1b[6~", Key::Name::page_down},
    {"\x1b[H", Key::Name::home},
    {"\x1b[F", Key::Name::end},
    {"\x1bOH", Key::Name::home},
    {"\x1bOF", Key::Name::end},
    {"\x1b[1~", Key::Name::home},
    {"\x1b[4~", Key::Name::end},
});

// The length of an escape sequence up to its last byte, a letter or ~. 0: incomplete.
size_t sequence_size(std::string_view bytes) {
  if (bytes.size() < 2) return 0;
  if (bytes[1] != '[' && bytes[1] != 'O') return 2;
  for (size_t i = 2; i < bytes.size(); ++i) {
    if (bytes[i] >= '@' && bytes[i] <= '~') return i + 1;
  }
  return 0;
}

}  // namespace

std::optional<Key> take_key(std::string& bytes, bool pause) {
  if (bytes.empty()) return std::nullopt;
  const char first = bytes.front();
  size_t size = 1;
  Key key;
  if (first == '\x1b') {
    size = sequence_size(bytes);
    if (size == 0 && !pause) return std::nullopt;
    if (size == 0) {
      size = bytes.size();
      key.name = size == 1 ? Key::Name::escape : Key::Name::other;
    }
    for (const auto& [sequence, name] : kSequences) {
      if (std::string_view(bytes).substr(0, size) == sequence) key.name = name;
    }
  } else if (first == '\r' || first == '\n') {
    key.name = Key::Name::enter;
  } else {
    key = {Key::Name::letter, first};
  }
  bytes.erase(0, size);
  return key;
}

}  // namespace drover::cli
