#include "run/secrets.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "run/characters.h"
#include "run/plain_values.h"
#include "run/secret_names.h"

namespace drover::run {
namespace {

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::string_view value_of(std::string_view variable) {
  const size_t name = name_of(variable).size();
  std::string_view value = variable.substr(std::min(name + 1, variable.size()));
  // A text that quotes the value seldom has the newline of the file it was read from.
  while (!value.empty() && is_space(value.back())) value.remove_suffix(1);
  while (!value.empty() && is_space(value.front())) value.remove_prefix(1);
  return value;
}

std::vector<std::string_view> given_names(std::span<const std::string> environment) {
  std::vector<std::string_view> out;
  for (const std::string& variable : environment) {
    if (name_of(variable) != kSecretNames) continue;
    std::string_view names = value_of(variable);
    while (!names.empty()) {
      const size_t comma = std::min(names.find(','), names.size());
      out.push_back(names.substr(0, comma));
      names.remove_prefix(std::min(comma + 1, names.size()));
    }
  }
  std::ranges::sort(out);
  return out;
}

// The password of scheme://user:password@host; empty: none. It may contain the characters that end
// an authority; then the last '@' decides.
std::string_view password_in(std::string_view value) {
  const size_t begin = value.find("://");
  if (begin == value.npos) return {};
  const std::string_view rest = value.substr(begin + 3);
  const size_t first = rest.rfind('@', rest.find('/'));
  const bool is_host = first != rest.npos &&
                       rest.substr(first, rest.find('/') - first).find_first_of(".:") != rest.npos;
  const size_t host = is_host ? first : rest.rfind('@');
  if (host == rest.npos) return {};
  const size_t colon = rest.substr(0, host).find(':');
  return colon == rest.npos ? std::string_view() : rest.substr(colon + 1, host - colon - 1);
}

// The text for which %41%2f stands.
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    unsigned code = 0;
    const char* digits = text.data() + at + 1;
    const bool is_code = text[at] == '%' && at + 2 < text.size() &&
                         std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    out += is_code ? static_cast<char>(code) : text[at];
    if (is_code) at += 2;
  }
  return out;
}

bool is_part_of_word(std::string_view text, size_t at) {
  return at < text.size() && (is_letter(text[at]) || is_digit(text[at]));
}

}  // namespace

void Secrets::add(std::span<const std::string> environment) {
  const std::vector<std::string_view> given = given_names(environment);
  for (const std::string& variable : environment) {
    const std::string_view name = name_of(variable);
    const std::string_view value = value_of(variable);
    if (value.size() < kSecretBytesMin || name == kSecretNames) continue;
    const bool is_secret = names_a_secret(name) && !is_common_word(value);
    const bool is_given = std::ranges::binary_search(given, name) && !is_plain_value(value);
    if (is_secret || is_given) take(value);
    if (const auto password = password_in(value); !password.empty()) {
      take(password);
      if (password.find('%') != password.npos) take(percent_decoded(password));
    }
  }
  const auto key = [](const Value& value) {
    return std::pair(value.begin, std::string_view(value.text));
  };
  std::ranges::sort(values_, {}, key);
  const auto twice = std::ranges::unique(values_, {}, &Value::text);
  values_.erase(twice.begin(), twice.end());
}

void Secrets::take(std::string_view value) {
  if (value.size() < kSecretBytesMin) return;
  const std::uint32_t begin = begin_of(value.data());
  known_[slot_of(begin)] = true;
  values_.push_back({begin, std::string(value), is_short_word(value)});
  longest_ = std::max(longest_, value.size());
}

std::uint32_t Secrets::begin_of(const char* text) {
  std::uint32_t begin = 0;
  std::memcpy(&begin, text, sizeof begin);
  return begin;
}

// The length of the longest value that begins there; 0: none.
size_t Secrets::match(std::string_view text, size_t at) const {
  const std::uint32_t begin = begin_of(text.data() + at);
  if (!known_[slot_of(begin)]) return 0;
  size_t out = 0;
  for (const Value& value : std::ranges::equal_range(values_, begin, {}, &Value::begin)) {
    if (!text.substr(at).starts_with(value.text)) continue;
    const bool is_part =
        (at > 0 && is_part_of_word(text, at - 1)) || is_part_of_word(text, at + value.text.size());
    if (!value.is_alone || !is_part) out = std::max(out, value.text.size());
  }
  return out;
}

std::string Secrets::hide(std::string_view text) const {
  if (values_.empty() || text.size() < kSecretBytesMin) return std::string(text);
  std::string out;
  size_t shown = 0;   // Up to here the text was copied or hidden.
  size_t hidden = 0;  // The end of the values found so far; they may overlap.
  for (size_t at = 0; at + kSecretBytesMin <= text.size(); ++at) {
    const size_t length = match(text, at);
    if (length == 0) continue;
    if (at >= hidden || hidden == 0) {
      out.append(text.substr(shown, at - shown)).append(kRedacted);
    }
    hidden = std::max(hidden, at + length);
    shown = hidden;
  }
  return out.append(text.substr(shown));
}

std::vector<std::string> Secrets::values() const {
  std::vector<std::string> out;
  out.reserve(values_.size());
  for (const Value& value : values_) out.push_back(value.text);
  std::ranges::sort(out, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return out;
}

}  // namespace drover::run
