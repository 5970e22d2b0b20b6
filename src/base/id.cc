#include "base/id.h"

#include <sys/random.h>

#include <algorithm>
#include <cassert>

namespace drover {
namespace {

constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::string_view kHex = "0123456789abcdef";

using Bits = std::array<std::uint8_t, 16>;

// 128 bits as 26 digits of 5: the first digit carries the top 3.
void encode(const Bits& bits, char* out) {
  unsigned __int128 number = 0;
  for (const std::uint8_t byte : bits) number = (number << 8) | byte;
  for (int i = 25; i >= 0; --i) {
    out[i] = kDigits[static_cast<size_t>(number & 31)];
    number >>= 5;
  }
}

unsigned __int128 decode(std::string_view digits) {
  unsigned __int128 number = 0;
  for (const char c : digits) number = (number << 5) | (kDigits.find(c) & 31);
  return number;
}

}  // namespace

Result<RunId> RunId::parse(std::string_view text) {
  const bool fits = text.size() == kSize && text.starts_with(kPrefix) && text[4] <= '7' &&
                    std::ranges::all_of(text.substr(4), [](char c) {
                      return kDigits.find(c) != std::string_view::npos;
                    });
  if (!fits) {
    return fail(ErrorCode::not_found, "not_found", "there is no such run", "run_id");
  }
  RunId id;
  std::ranges::copy(text, id.text_.begin());
  return id;
}

RunId RunId::earliest(WallMs time) {
  RunId id;
  std::ranges::copy(kPrefix, id.text_.begin());
  Bits bits{};
  for (size_t i = 0; i < 6; ++i) bits[i] = static_cast<std::uint8_t>(time >> (40 - 8 * i));
  encode(bits, id.text_.data() + kPrefix.size());
  return id;
}

WallMs RunId::time() const {
  return static_cast<WallMs>(decode(view().substr(4)) >> 80);
}

std::string RunId::trace_id() const {
  unsigned __int128 number = decode(view().substr(4));
  std::string hex(32, '0');
  for (size_t i = 32; i-- > 0; number >>= 4) hex[i] = kHex[static_cast<size_t>(number & 15)];
  return hex;
}

RunId IdMaker::next() {
  const auto now = static_cast<std::uint64_t>(clock_.wall_ms());
  if (now > last_ms_) {
    last_ms_ = now;
    fill_random(random_.data(), random_.size());
    random_[0] &= 0x7f;  // Room to count up within the millisecond.
  } else {
    // Same millisecond, or a clock set back: count, so that ids keep increasing.
    for (size_t i = random_.size(); i-- > 0;) {
      if (++random_[i] != 0) break;
    }
  }
  Bits bits{};
  for (size_t i = 0; i < 6; ++i) bits[i] = static_cast<std::uint8_t>(last_ms_ >> (40 - 8 * i));
  std::ranges::copy(random_, bits.begin() + 6);
  RunId id;
  std::ranges::copy(RunId::kPrefix, id.text_.begin());
  encode(bits, id.text_.data() + RunId::kPrefix.size());
  return id;
}

void fill_random(void* bytes, size_t size) {
  // Up to 256 bytes of getrandom are never short and never fail once the pool is ready.
  [[maybe_unused]] const ssize_t n = ::getrandom(bytes, size, 0);
  assert(n == static_cast<ssize_t>(size));
}

std::string random_hex(size_t digits) {
  std::string bytes(digits, '\0');
  fill_random(bytes.data(), bytes.size());
  for (char& c : bytes) c = kHex[static_cast<unsigned char>(c) & 15];
  return bytes;
}

}  // namespace drover
