#include "base/text.h"

#include <array>
#include <cstdint>

namespace drover {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The value of each byte as a base 64 digit; -1: not a digit.
constexpr auto kDigitValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<std::uint8_t>(kDigits[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}();

// The length of the valid character at the start of `text`, or 0.
size_t character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Rejects overlong forms, surrogates and values above U+10FFFF.
  const std::uint8_t second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return size;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = character(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string bounded(std::string_view text, size_t bytes_max) {
  std::string out;
  size_t cut = 0;  // The last position at which "…" still fits.
  while (!text.empty()) {
    const size_t size = character(text);
    out += size == 0 ? kReplacement : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
    if (out.size() > bytes_max) {
      out.resize(cut);
      if (bytes_max >= kEllipsis.size()) out += kEllipsis;
      return out;
    }
    if (out.size() + kEllipsis.size() <= bytes_max) cut = out.size();
  }
  return out;
}

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<std::uint8_t>(bytes[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      out += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
    }
  }
  return out;
}

Result<std::string> unbase64(std::string_view text) {
  const auto bad = [] { return fail_invalid("base64", "invalid base64; padding is required"); };
  if (text.size() % 4 != 0) return bad();
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const size_t pads = i + 4 == text.size() ? padding : 0;
    std::uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      const int digit = j >= 4 - pads ? 0 : kDigitValues[static_cast<std::uint8_t>(text[i + j])];
      if (digit < 0) return bad();
      group = group << 6 | static_cast<std::uint32_t>(digit);
    }
    // The unused bits must be zero, so that each value has exactly one text.
    if ((group & ((1U << (8 * pads)) - 1)) != 0) return bad();
    for (size_t j = 0; j + pads < 3; ++j) out += static_cast<char>(group >> (16 - 8 * j) & 255);
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string escape_controls(std::string json) {
  constexpr char kLead = '\xC2';  // In UTF-8 they are C2 80 to C2 9F.
  size_t at = json.find(kLead);
  if (at == std::string::npos) return json;
  std::string out = json.substr(0, at);
  for (; at < json.size(); ++at) {
    const auto next = static_cast<unsigned char>(at + 1 < json.size() ? json[at + 1] : 0);
    if (json[at] != kLead || next < 0x80 || next > 0x9F) {
      out += json[at];
      continue;
    }
    constexpr std::string_view kHex = "0123456789abcdef";
    out.append("\\u00").append({kHex[next >> 4], kHex[next & 15]});
    ++at;
  }
  return out;
}

}  // namespace drover
