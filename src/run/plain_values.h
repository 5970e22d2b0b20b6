// Values of variables that are not hidden, because hiding them would destroy ordinary texts:
// true, 8080, /usr/bin, en_US.UTF-8. docs/access.md states the rule.
#pragma once

#include <string_view>

namespace drover::run {

// A shorter value is never hidden.
inline constexpr size_t kSecretBytesMin = 4;

// true, none, production: words that many variables have as their value.
bool is_common_word(std::string_view value);

// A common word, a short number, a locale, or a path or address without random parts. Such a value
// is hidden only if its variable's name says that it is secret.
bool is_plain_value(std::string_view value);

// A short word or number: hidden only where it stands alone, and not as a part of another word.
bool is_short_word(std::string_view value);

}  // namespace drover::run
