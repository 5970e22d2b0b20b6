// A PageText is the text of the elements of a web page that a selector picks: what a person reads
// there, without markup, scripts and styles, its whitespace folded. Its hash changes if and only if
// that text does, so a trigger fires on news and not on a changed attribute.
//
// An element inside another picked element is not repeated. Picked elements are separated by a line
// break, blocks inside them by a space. Pages are read as UTF-8; other bytes become U+FFFD.
// Pure; takes up to two seconds for the largest page: call it beside the loop.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "triggers/poll/selector.h"

namespace drover::triggers {

struct PageText {
  std::string text;    // At most kPageTextBytesMax.
  std::string hash;    // SHA-256 of the whole text, in hex.
  size_t matches = 0;  // Outermost elements that the selector picks; at least 1.
};

// Reasons: page_too_large, page_too_complex, and `nothing_matched` (not_found): the page was read,
// but the selector picks nothing in it.
Result<PageText> select(std::string_view html, const Selector& selector);

// Whether a poll fires: the first one, with no known hash, only records what is there.
bool page_changed(std::string_view known_hash, const PageText& page);

}  // namespace drover::triggers
