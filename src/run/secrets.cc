#include "run/secrets.h"

#include <algorithm>
#include <charconv>

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

}  // namespace

void Secrets::add(std::span<const std::string> environment) {
  const size_t before = values_.size();
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
  std::ranges::sort(values_);
  const auto twice = std::ranges::unique(values_);
  values_.erase(twice.begin(), twice.end());
  if (values_.size() != before) search_ = ValueSearch(values_);
}

void Secrets::take(std::string_view value) {
  if (value.size() < kSecretBytesMin) return;
  values_.emplace_back(value);
  longest_ = std::max(longest_, value.size());
}

std::string Secrets::hide(std::string_view text, size_t* steps) const {
  std::string out;
  size_t shown = 0;  // Up to here the text was copied or hidden.
  for (const ValueSearch::Found& found : search_.find(text, steps)) {
    out.append(text.substr(shown, found.begin - shown)).append(kRedacted);
    shown = found.end;
  }
  return out.append(text.substr(shown));
}

std::vector<std::string> Secrets::values() const {
  std::vector<std::string> out = values_;
  std::ranges::sort(out, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return out;
}

}  // namespace drover::run
