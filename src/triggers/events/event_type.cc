#include "triggers/events/event_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

constexpr size_t kShownBytes = 80;  // Of a wrong type in its message.

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_word(std::string_view word) {
  return !word.empty() && is_letter(word.front()) && std::ranges::all_of(word, [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::unexpected<Error> bad(std::string_view type, std::string_view param) {
  return fail(ErrorCode::invalid, "invalid_type",
              fmt::format("invalid event type \"{}\": use lower-case words separated by dots, such "
                          "as custom.deploy",
                          bounded(type, kShownBytes)),
              std::string(param));
}

}  // namespace

Result<> check_event_type(std::string_view type, std::string_view param) {
  if (type.size() > kEventTypeBytesMax) {
    return fail(ErrorCode::invalid, "too_long",
                fmt::format("an event type has at most {} bytes", kEventTypeBytesMax),
                std::string(param));
  }
  size_t words = 0;
  for (std::string_view rest = type;;) {
    const size_t dot = rest.find('.');
    if (!is_word(rest.substr(0, dot))) return bad(type, param);
    ++words;
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (words > kEventTypeWordsMax) {
    return fail(ErrorCode::invalid, "too_many_words",
                fmt::format("an event type has at most {} words", kEventTypeWordsMax),
                std::string(param));
  }
  return {};
}

Result<> check_posted_type(std::string_view type, std::string_view param) {
  if (auto ok = check_event_type(type, param); !ok) return ok;
  const std::string_view first = type.substr(0, type.find('.'));
  if (std::ranges::find(kReservedWords, first) == kReservedWords.end()) return {};
  return fail(ErrorCode::invalid, "reserved_type",
              fmt::format("only Drover produces events of type {}.*; use a type of your own, such "
                          "as custom.{}",
                          first, type),
              std::string(param));
}

}  // namespace drover::triggers
