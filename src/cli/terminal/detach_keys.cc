#include "cli/terminal/detach_keys.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace drover::cli {
namespace {

constexpr size_t kKeysMax = 8;  // More keys than anybody remembers.

// The byte that a key sends, or -1.
int byte_of(std::string_view key) {
  if (key.size() == 1 && std::isprint(static_cast<unsigned char>(key[0])) != 0) return key[0];
  std::string name(key);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!name.starts_with("ctrl-") || name.size() != 6) return -1;
  const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(name[5])));
  return letter >= '@' && letter <= '_' ? letter - '@' : -1;
}

}  // namespace

Result<DetachKeys> DetachKeys::parse(std::string_view text) {
  DetachKeys keys;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const int byte = byte_of(text.substr(0, comma));
    if (byte < 0 || keys.keys_.size() == kKeysMax || comma + 1 == text.size()) {
      return fail_invalid(
          "detach-keys",
          "invalid keys: use up to 8 characters or ctrl-X, separated by commas, such as "
          "ctrl-p,ctrl-q");
    }
    keys.keys_ += static_cast<char>(byte);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return keys;
}

std::string DetachKeys::pass(std::string_view bytes) {
  std::string out;
  for (const char typed : bytes) {
    if (detached_) break;
    take(typed, out);
  }
  return out;
}

void DetachKeys::take(char typed, std::string& out) {
  if (keys_.empty()) {
    out += typed;
    return;
  }
  // The held keys plus `typed` may end with a shorter prefix of the sequence: with "ab", after
  // "aab".
  std::string seen = keys_.substr(0, held_) + typed;
  held_ = std::min(seen.size(), keys_.size());
  while (held_ > 0 &&
         !std::string_view(keys_).starts_with(std::string_view(seen).substr(seen.size() - held_))) {
    --held_;
  }
  out += seen.substr(0, seen.size() - held_);
  detached_ = held_ == keys_.size();
}

std::string DetachKeys::flush() {
  return keys_.substr(0, std::exchange(held_, 0));
}

}  // namespace drover::cli
