#include "triggers/poll/known_items.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "access/seal.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

// Items of the same time keep their order; so do all if one has no time.
void sort_by_time(std::vector<FeedItem>& items) {
  std::vector<std::pair<WallMs, size_t>> order;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].time) return;
    order.emplace_back(*items[i].time, i);
  }
  std::ranges::sort(order);
  std::vector<FeedItem> sorted;
  for (const auto& [time, at] : order) sorted.push_back(std::move(items[at]));
  items = std::move(sorted);
}

}  // namespace

std::string item_key(std::string_view id) {
  return access::sha256_hex(id).substr(0, 20);
}

NewItems new_items(const KnownItems& known, const Feed& feed) {
  NewItems out;
  out.known.polled = true;
  const std::unordered_set<std::string> before(known.keys.begin(), known.keys.end());
  std::unordered_set<std::string> present;
  std::vector<std::string> keys;  // Of the present items, each once, the newest last.
  for (auto item = feed.items.rbegin(); item != feed.items.rend(); ++item) {
    std::string key = item_key(item->id);
    if (!present.insert(key).second) continue;
    if (known.polled && !before.contains(key)) out.items.push_back(*item);
    keys.push_back(std::move(key));
  }
  sort_by_time(out.items);
  for (const std::string& key : known.keys) {
    if (!present.contains(key)) out.known.keys.push_back(key);
  }
  const size_t room = kKnownItemsMax - std::min(keys.size(), kKnownItemsMax);
  if (out.known.keys.size() > room) {
    const auto surplus = static_cast<std::ptrdiff_t>(out.known.keys.size() - room);
    out.known.keys.erase(out.known.keys.begin(), out.known.keys.begin() + surplus);
  }
  out.known.keys.insert(out.known.keys.end(), keys.begin(), keys.end());
  return out;
}

}  // namespace drover::triggers
