// Fuzzes RSS and Atom documents with any bytes: the result is a feed within its limits, whose texts
// are UTF-8 and whose items have ids, or the reason why it is not a feed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "triggers/poll/feed.h"
#include "triggers/poll/limits.h"

namespace {

using namespace drover::triggers;

void check(std::string_view text, size_t bytes_max) {
  if (!drover::is_utf8(text) || text.size() > bytes_max) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const auto feed = parse_feed({reinterpret_cast<const char*>(data), size});
  if (!feed) {
    if (feed.error().reason.empty() || feed.error().message.empty()) std::abort();
    return 0;
  }
  if (feed->items.size() > kFeedItemsMax) std::abort();
  if (feed->ttl_ms && *feed->ttl_ms < 0) std::abort();
  check(feed->title, kFeedTitleBytesMax);
  for (const FeedItem& item : feed->items) {
    if (item.id.empty()) std::abort();
    check(item.id, kFeedIdBytesMax);
    check(item.title, kFeedTitleBytesMax);
    check(item.summary, kFeedSummaryBytesMax);
    check(item.link, kFeedIdBytesMax);
  }
  return 0;
}
