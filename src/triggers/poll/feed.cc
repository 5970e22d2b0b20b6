#include "triggers/poll/feed.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <pugixml.hpp>

#include "access/seal.h"
#include "base/text.h"
#include "triggers/poll/feed_time.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

using pugi::xml_node;

std::unexpected<Error> bad(std::string reason, std::string message) {
  return fail(ErrorCode::invalid, std::move(reason), std::move(message), "feed");
}

// The node after `node` in the order of the document, within `root`; empty at the end.
xml_node next_of(xml_node node, const xml_node& root, int& depth) {
  if (const xml_node child = node.first_child()) {
    ++depth;
    return child;
  }
  while (node != root) {
    if (const xml_node next = node.next_sibling()) return next;
    node = node.parent();
    --depth;
  }
  return {};
}

bool is_too_deep(const xml_node& root) {
  int depth = 0;
  for (xml_node node = root; node; node = next_of(node, root, depth)) {
    if (depth > kFeedDepthMax) return true;
  }
  return false;
}

// All text below the node, trimmed: also that of XHTML in an Atom title.
std::string text_of(const xml_node& root, size_t bytes_max) {
  std::string out;
  int depth = 0;
  for (xml_node node = root; node && out.size() <= bytes_max; node = next_of(node, root, depth)) {
    if (node.type() != pugi::node_pcdata && node.type() != pugi::node_cdata) continue;
    out += std::string_view(node.value()).substr(0, bytes_max + 1);
  }
  const size_t begin = std::min(out.find_first_not_of(" \t\r\n"), out.size());
  out.erase(0, begin);
  out.erase(out.find_last_not_of(" \t\r\n") + 1);
  return bounded(out, bytes_max);
}

std::string_view local_name(const xml_node& node) {
  const std::string_view name = node.name();
  const size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

// The text of the first of these children that is not empty.
std::string first_text(const xml_node& node, std::initializer_list<std::string> names,
                       size_t bytes_max) {
  for (const std::string& name : names) {
    const xml_node child = node.child(name.c_str());
    if (std::string text = text_of(child, bytes_max); !text.empty()) return text;
  }
  return {};
}

// A cut id could be that of another item, so a long one is hashed.
std::string id_of(std::string id) {
  return id.size() > kFeedIdBytesMax ? "sha256:" + access::sha256_hex(id) : id;
}

void complete(FeedItem& item, std::string id, const std::string& date) {
  if (id.empty()) id = item.link;
  if (id.empty()) id = "sha256:" + access::sha256_hex(item.title + "\n" + date);
  item.id = id_of(std::move(id));
  item.link = bounded(item.link, kFeedIdBytesMax);
  item.time = parse_feed_time(date);
}

constexpr size_t kIdReadMax = 4 * kFeedIdBytesMax;
constexpr size_t kDateBytesMax = 64;

FeedItem rss_item(const xml_node& node) {
  FeedItem item;
  item.title = first_text(node, {"title", "dc:title"}, kFeedTitleBytesMax);
  item.link = first_text(node, {"link"}, kIdReadMax);
  item.summary = first_text(node, {"description", "content:encoded"}, kFeedSummaryBytesMax);
  std::string id = first_text(node, {"guid"}, kIdReadMax);
  if (id.empty()) id = bounded(node.attribute("rdf:about").value(), kIdReadMax);
  if (item.link.empty() && id.starts_with("http")) item.link = id;
  complete(item, id, first_text(node, {"pubDate", "dc:date", "date"}, kDateBytesMax));
  return item;
}

// `prefix` is that of the root: "atom:" of <atom:feed>.
FeedItem atom_entry(const xml_node& node, const std::string& prefix) {
  FeedItem item;
  item.title = first_text(node, {prefix + "title"}, kFeedTitleBytesMax);
  for (const xml_node& link : node.children((prefix + "link").c_str())) {
    const std::string_view rel = link.attribute("rel").as_string("alternate");
    if (rel != "alternate" && !item.link.empty()) continue;
    item.link = bounded(link.attribute("href").value(), kIdReadMax);
    if (rel == "alternate") break;
  }
  item.summary = first_text(node, {prefix + "summary", prefix + "content"}, kFeedSummaryBytesMax);
  complete(
      item, first_text(node, {prefix + "id"}, kIdReadMax),
      first_text(node,
                 {prefix + "published", prefix + "updated", prefix + "issued", prefix + "modified"},
                 kDateBytesMax));
  return item;
}

template <class Read>
void read_items(const xml_node& parent, std::string_view name, Feed& feed, Read read) {
  for (const xml_node& node : parent.children()) {
    if (local_name(node) != name) continue;
    if (feed.items.size() < kFeedItemsMax) {
      feed.items.push_back(read(node));
    } else {
      ++feed.items_ignored;
    }
  }
}

std::optional<std::int64_t> ttl_of(const xml_node& channel) {
  const std::string text = first_text(channel, {"ttl"}, 16);
  std::int64_t minutes = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), minutes);
  if (wrong != std::errc{} || end != text.data() + text.size() || minutes <= 0) return {};
  return std::min(minutes, kServerPauseMaxMs / 60'000) * 60'000;
}

Result<Feed> read_feed(const xml_node& root) {
  const std::string_view name = local_name(root);
  Feed feed;
  if (name == "rss" || name == "RDF") {
    const xml_node channel = root.child("channel");
    feed.title = first_text(channel, {"title"}, kFeedTitleBytesMax);
    feed.ttl_ms = ttl_of(channel);
    read_items(channel, "item", feed, rss_item);
    read_items(root, "item", feed, rss_item);  // RSS 0.90 and 1.0 have them beside the channel.
    if (channel || !feed.items.empty()) return feed;
  } else if (name == "feed") {
    const std::string_view whole = root.name();
    const std::string prefix(whole.substr(0, whole.size() - name.size()));
    feed.title = first_text(root, {prefix + "title"}, kFeedTitleBytesMax);
    read_items(root, "entry", feed, [&](const xml_node& node) { return atom_entry(node, prefix); });
    return feed;
  }
  return bad("not_a_feed", "this is not an RSS or Atom feed: the first element is <" +
                               bounded(root.name(), 40) + ">" +
                               (name == "html" ? "; use --page for web pages" : ""));
}

}  // namespace

Result<Feed> parse_feed(std::string_view bytes) try {
  if (bytes.size() > kFeedBytesMax) {
    return bad("feed_too_large", "the feed has " + grouped(bytes.size()) +
                                     " bytes; the maximum is " + grouped(kFeedBytesMax));
  }
  // Every node begins with one. The parser copies the text and needs memory for each node.
  if (static_cast<size_t>(std::ranges::count(bytes, '<')) > kFeedNodesMax) {
    return bad("feed_too_complex",
               "the feed has more than " + grouped(kFeedNodesMax) + " elements");
  }
  // The parser neither recurses nor expands declared entities, and skips the DOCTYPE.
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(bytes.data(), bytes.size(), pugi::parse_default);
  if (!parsed) {
    return bad("not_xml",
               std::string("the feed is not well-formed XML at byte ") +
                   grouped(static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(parsed.offset, 0))) +
                   ": " + parsed.description());
  }
  if (is_too_deep(document)) {
    return bad("feed_too_complex", "the feed nests elements more than " +
                                       std::to_string(kFeedDepthMax) + " levels deep");
  }
  return read_feed(document.document_element());
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::unavailable, "out_of_memory", "not enough memory to parse the feed");
}

}  // namespace drover::triggers
