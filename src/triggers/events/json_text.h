// JSON text from outside, read within limits and exactly. boost::json alone has two gaps that
// matter to events: it reads about one in ten doubles one bit off, and it reads 1e400 as an
// infinity that it cannot write.
//
// Here a number with a fraction or an exponent, and an integer beyond 64 bits, becomes the nearest
// double; a number outside the range of doubles is an error. Of a repeated key the last value
// counts. Nesting is refused while reading, so deep text cannot exhaust the stack. Pure, any
// thread.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace drover::triggers {

struct JsonLimits {
  size_t bytes_max;
  size_t levels_max;  // [] has one level, [[]] two, 1 none.
};

// Errors name `param`. Reasons: `too_large` with the code `exhausted`; `too_deep`,
// `number_out_of_range` and `invalid_json` with the code `invalid`.
Result<boost::json::value> read_json(std::string_view text, const JsonLimits& limits,
                                     std::string_view param);

// The text of a member's value, exactly as it was sent, with the blanks around it: the member a of
// `{"a": 1.50 }` is ` 1.50 `. Of a repeated key the last. Not set if the member is missing, or its
// key is written with escapes. `object` must be the text of a JSON object that read_json accepted;
// `key` must need no escapes.
std::optional<std::string_view> raw_member(std::string_view object, std::string_view key);

}  // namespace drover::triggers
