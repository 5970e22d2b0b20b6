// KnownItems are the items of a feed that earlier polls have seen, so that each item fires once.
// They are kept as short hashes of the items' ids, oldest first.
//
//  - The first poll fires nothing: it records which items are there. Otherwise adding a trigger
//    would start a run for each old article.
//  - An item whose id is known does not fire again, also if its text has changed.
//  - Everything in the latest poll is remembered, then what was seen before, up to kKnownItemsMax.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "triggers/poll/feed.h"

namespace drover::triggers {

struct KnownItems {
  bool polled = false;  // Whether a poll has recorded the items, even if there were none.
  std::vector<std::string> keys = {};

  bool operator==(const KnownItems&) const = default;
};

struct NewItems {
  // The oldest first: by their times if all have one, else in the opposite order of the document.
  std::vector<FeedItem> items = {};
  KnownItems known = {};  // To store together with the decision about the items.
};

NewItems new_items(const KnownItems& known, const Feed& feed);

// 20 hexadecimal digits of the id's SHA-256. Stored: the algorithm must not change.
std::string item_key(std::string_view id);

}  // namespace drover::triggers
