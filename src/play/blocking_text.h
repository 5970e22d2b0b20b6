// Blocking text is text that may be the field `"blocking": true` of a diagnostic, in the notation
// of JSON or of another language. Pure.
#pragma once

#include <string_view>

namespace drover::play {

// `"blocking": true`, also with the quotes of other languages or escaped ones, with `=>`, or cut
// off after the colon. Without quotes it counts only in braces: at the beginning of the text, or
// after a word and beside a severity or a message.
bool has_blocking_text(std::string_view text);

// `blocking: true` without quotes, in a text that stands in braces.
bool has_bare_blocking_text(std::string_view text);

// Text that cannot be read, but may be a blocking diagnostic.
bool looks_like_diagnostic(std::string_view text);

}  // namespace drover::play
