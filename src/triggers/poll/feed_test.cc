#include "triggers/poll/feed.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/text.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string rss(const std::string& items) {
  return "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>T</title>" + items +
         "</channel></rss>";
}

std::string reason_of(std::string_view bytes) {
  const auto feed = parse_feed(bytes);
  return feed ? "a feed" : feed.error().reason;
}

// RSS 2.0, with CDATA, entities and a foreign element whose local name is the same.
TEST(Feed, ReadsRss2) {
  const auto feed = parse_feed(
      rss("<ttl>60</ttl><item><title>A &amp; B</title><link> http://x/1 </link>"
          "<guid isPermaLink='false'>id-1</guid><pubDate>Wed, 18 Nov 2026 14:13:08 GMT</pubDate>"
          "<description><![CDATA[<p>text</p>]]></description></item>"
          "<item><media:title>no</media:title><title>B</title><link>http://x/2</link></item>"
          "<item><title>only a title</title></item><item><guid>http://x/4</guid></item>"));
  ASSERT_TRUE(feed);
  EXPECT_EQ(feed->title, "T");
  EXPECT_EQ(feed->ttl_ms, 3'600'000);
  ASSERT_EQ(feed->items.size(), 4u);
  EXPECT_EQ(feed->items[0].id, "id-1");
  EXPECT_EQ(feed->items[0].title, "A & B");
  EXPECT_EQ(feed->items[0].link, "http://x/1");
  EXPECT_EQ(feed->items[0].summary, "<p>text</p>");
  EXPECT_EQ(rfc3339(feed->items[0].time.value_or(0)), "2026-11-18T14:13:08.000Z");
  EXPECT_EQ(feed->items[1].id, "http://x/2");
  EXPECT_EQ(feed->items[1].title, "B");
  EXPECT_FALSE(feed->items[1].time);
  EXPECT_TRUE(feed->items[2].id.starts_with("sha256:")) << feed->items[2].id;
  EXPECT_EQ(feed->items[3].link, "http://x/4");
}

// RSS 1.0 has its items beside the channel; 0.91 has no guid and no dates.
TEST(Feed, ReadsOldRss) {
  const auto rdf = parse_feed(
      "<rdf:RDF xmlns:rdf='r'><channel><title>T</title></channel><item rdf:about='http://x/1'>"
      "<title>A</title><link>http://x/l</link><dc:date>2026-11-18T14:13:08+01:00</dc:date></item>"
      "</rdf:RDF>");
  ASSERT_TRUE(rdf);
  ASSERT_EQ(rdf->items.size(), 1u);
  EXPECT_EQ(rdf->items[0].id, "http://x/1");
  EXPECT_EQ(rdf->items[0].link, "http://x/l");
  EXPECT_TRUE(rdf->items[0].time);
  const auto old = parse_feed(
      "<rss version='0.91'><channel><item><link>http://x/1</link></item></channel></rss>");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->items.at(0).id, "http://x/1");
}

// Atom, with XHTML in a title, several links, and a prefix on every element.
TEST(Feed, ReadsAtom) {
  for (const std::string p : {"", "atom:"}) {
    std::string text =
        "<@feed xmlns='http://www.w3.org/2005/Atom'><@title>T</@title><@entry><@id>tag:1</@id>"
        "<@title type='xhtml'><div>A <b>bold</b> title</div></@title>"
        "<@link rel='self' href='http://x/self'/><@link href='http://x/1'/>"
        "<@link rel='enclosure' href='http://x/e'/><@updated>2026-11-19T00:00:00Z</@updated>"
        "<@published>2026-11-18T14:13:08Z</@published><@summary>S</@summary></@entry></@feed>";
    for (size_t at = 0; (at = text.find('@', at)) != std::string::npos;) text.replace(at, 1, p);
    const auto feed = parse_feed(text);
    ASSERT_TRUE(feed) << text;
    ASSERT_EQ(feed->items.size(), 1u);
    EXPECT_EQ(feed->title, "T");
    EXPECT_EQ(feed->items[0].id, "tag:1");
    EXPECT_EQ(feed->items[0].title, "A bold title");
    EXPECT_EQ(feed->items[0].link, "http://x/1");
    EXPECT_EQ(feed->items[0].summary, "S");
    EXPECT_EQ(rfc3339(feed->items[0].time.value_or(0)), "2026-11-18T14:13:08.000Z");
  }
}

// A billion laughs remain a short text, and an external entity reads no file.
TEST(Feed, ExpandsNoEntities) {
  std::string bomb = "<?xml version='1.0'?><!DOCTYPE lolz [<!ENTITY lol0 \"lol\">";
  for (int i = 1; i < 10; ++i) {
    bomb += "<!ENTITY lol" + std::to_string(i) + " \"" +
            repeated("&lol" + std::to_string(i - 1) + ";", 10) + "\">";
  }
  bomb += "]><rss><channel><item><title>&lol9;</title></item></channel></rss>";
  const auto laughs = parse_feed(bomb);
  ASSERT_TRUE(laughs);
  EXPECT_EQ(laughs->items.at(0).title, "&lol9;");
  const auto outside = parse_feed(
      "<!DOCTYPE r [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><rss><channel><item><title>&f;"
      "</title></item></channel></rss>");
  ASSERT_TRUE(outside);
  EXPECT_EQ(outside->items.at(0).title, "&f;");
}

// Deep and wide documents are refused without exhausting the stack or the memory.
TEST(Feed, RefusesBombs) {
  EXPECT_EQ(reason_of(rss(repeated("<a>", 10'000) + repeated("</a>", 10'000))), "feed_too_complex");
  EXPECT_EQ(reason_of(rss(repeated("<a>", 190'000) + repeated("</a>", 190'000))),
            "feed_too_complex");
  EXPECT_EQ(reason_of(repeated("<a>", 300'000)), "not_xml");
  EXPECT_EQ(reason_of(rss(repeated("<a/>", 500'000))), "feed_too_complex");
  EXPECT_EQ(reason_of("<!DOCTYPE x " + repeated("[", 100'000)), "not_xml");
  EXPECT_EQ(reason_of("<!DOCTYPE x [" + repeated("<![INCLUDE[", 100'000)), "not_xml");
  EXPECT_EQ(reason_of(std::string(kFeedBytesMax + 1, ' ')), "feed_too_large");
  EXPECT_EQ(reason_of(rss(repeated("<a>", 100) + repeated("</a>", 100))), "a feed");
}

// Everything that is not a feed is refused with a reason that says why.
TEST(Feed, RefusesOtherDocuments) {
  EXPECT_EQ(reason_of(""), "not_xml");
  EXPECT_EQ(reason_of("{\"items\":[]}"), "not_xml");
  EXPECT_EQ(reason_of("<rss><channel>"), "not_xml");
  EXPECT_EQ(reason_of(std::string("\0\0\0\0", 4)), "not_xml");
  EXPECT_EQ(reason_of("<opml/>"), "not_a_feed");
  EXPECT_EQ(reason_of("<rss/>"), "not_a_feed");
  EXPECT_NE(parse_feed("<html><body/></html>").error().message.find("--page"), std::string::npos);
  EXPECT_EQ(reason_of("<feed/>"), "a feed");
}

// Items and their fields have bounds, and bytes that are not UTF-8 become valid text.
TEST(Feed, BoundsItemsAndFields) {
  const auto many = parse_feed(rss(repeated("<item><link>x</link></item>", kFeedItemsMax + 5)));
  ASSERT_TRUE(many);
  EXPECT_EQ(many->items.size(), kFeedItemsMax);
  EXPECT_EQ(many->items_ignored, 5u);
  const std::string large(100'000, 'x');
  const auto wide = parse_feed(rss("<item><title>" + large + "</title><guid>" + large +
                                   "</guid><description>\xff" + large + "</description></item>"));
  ASSERT_TRUE(wide);
  const FeedItem& item = wide->items.at(0);
  EXPECT_LE(item.title.size(), kFeedTitleBytesMax);
  EXPECT_LE(item.id.size(), kFeedIdBytesMax);
  EXPECT_LE(item.summary.size(), kFeedSummaryBytesMax);
  EXPECT_TRUE(is_utf8(item.summary));
  for (const char* ttl : {"0", "-1", "x", "1e9", ""}) {
    EXPECT_FALSE(parse_feed(rss("<ttl>" + std::string(ttl) + "</ttl>"))->ttl_ms) << ttl;
  }
  EXPECT_EQ(parse_feed(rss("<ttl>99999999</ttl>"))->ttl_ms, kServerPauseMaxMs);
}

// Whatever the bytes are, the answer is a feed within its bounds or an error.
RC_GTEST_PROP(Feed, SurvivesDamage, ()) {
  std::string text =
      rss("<item><title>A &amp; B</title><guid>1</guid><pubDate>Wed, 18 Nov 2026 14:13:08 GMT"
          "</pubDate><description><![CDATA[<p>]]></description></item>");
  const auto damages = *rc::gen::container<std::vector<std::pair<std::uint16_t, char>>>(
      rc::gen::arbitrary<std::pair<std::uint16_t, char>>());
  for (const auto& [at, byte] : damages) text[at % text.size()] = byte;
  const auto feed = parse_feed(text);
  if (!feed) {
    RC_ASSERT(!feed.error().reason.empty());
    return;
  }
  for (const FeedItem& item : feed->items) {
    RC_ASSERT(is_utf8(item.title));
    RC_ASSERT(!item.id.empty());
  }
}

}  // namespace
}  // namespace drover::triggers
