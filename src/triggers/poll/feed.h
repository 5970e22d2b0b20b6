// A Feed is an RSS (0.9x, 1.0, 2.0) or Atom document as triggers see it: its title and its items,
// in the order of the document.
//
// An item's id is its guid or atom:id, else its link, else a hash of its title and date, so that an
// item can be recognized in the next poll. Texts are as the publisher wrote them, markup included,
// cut at their bounds and always valid UTF-8. A field that is missing or unreadable is empty.
//
// A document is refused as a whole (too large, too deep, not XML, not a feed) with a reason.
// Entities that the document declares are never expanded and nothing outside it is read, so entity
// bombs remain short texts. Pure; takes up to 0.2 s for the largest document: call it beside the
// loop.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace drover::triggers {

struct FeedItem {
  std::string id = {};
  std::string title = {};
  std::string link = {};
  std::string summary = {};
  std::optional<WallMs> time = {};
};

struct Feed {
  std::string title = {};
  std::vector<FeedItem> items = {};  // At most kFeedItemsMax, the first ones.
  size_t items_ignored = 0;          // The items after those.
  std::optional<std::int64_t> ttl_ms =
      {};  // How long the publisher asks clients to keep a copy (RSS).
};

// Reasons: feed_too_large, feed_too_complex, not_xml, not_a_feed.
Result<Feed> parse_feed(std::string_view bytes);

}  // namespace drover::triggers
