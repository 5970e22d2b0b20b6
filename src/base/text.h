// Text functions that several modules share: UTF-8, length limits, base 64.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover {

bool is_utf8(std::string_view text);

// At most `bytes_max` bytes, cut between characters and ending in "…" if anything was cut.
// Bytes that are not UTF-8 become U+FFFD, so that the result can always be put into JSON.
std::string bounded(std::string_view text, size_t bytes_max);

// Standard base 64, for bytes that JSON cannot contain.
std::string base64(std::string_view bytes);
Result<std::string> unbase64(std::string_view text);

// Writes the controls U+0080 to U+009F as \u escapes: 8-bit terminals obey them, and JSON may
// contain them unescaped.
std::string escape_controls(std::string json);

// A number with its thousands set apart: "523,288".
std::string grouped(std::uint64_t number);

}  // namespace drover
