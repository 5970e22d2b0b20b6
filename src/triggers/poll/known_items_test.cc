#include "triggers/poll/known_items.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

Feed feed_of(std::initializer_list<std::string> ids) {
  Feed feed;
  for (const std::string& id : ids) feed.items.push_back({.id = id});
  return feed;
}

std::vector<std::string> ids_of(const NewItems& news) {
  std::vector<std::string> out;
  for (const FeedItem& item : news.items) out.push_back(item.id);
  return out;
}

using Ids = std::vector<std::string>;

// The first poll records what is there and fires nothing, also if nothing is there.
TEST(KnownItems, FirstPollFiresNothing) {
  const NewItems first = new_items({}, feed_of({"b", "a"}));
  EXPECT_EQ(ids_of(first), Ids{});
  EXPECT_EQ(ids_of(new_items(first.known, feed_of({"c", "b", "a"}))), Ids{"c"});
  const NewItems empty = new_items({}, Feed{});
  EXPECT_TRUE(empty.known.polled);
  EXPECT_EQ(ids_of(new_items(empty.known, feed_of({"a"}))), Ids{"a"});
}

// New items come oldest first: by their times, or else against the order of the document.
TEST(KnownItems, OldestFirst) {
  const KnownItems known{.polled = true};
  EXPECT_EQ(ids_of(new_items(known, feed_of({"c", "b", "a"}))), (Ids{"a", "b", "c"}));
  Feed timed = feed_of({"a", "b", "c"});
  timed.items[0].time = 1;
  timed.items[1].time = 3;
  timed.items[2].time = 2;
  EXPECT_EQ(ids_of(new_items(known, timed)), (Ids{"a", "c", "b"}));
  timed.items[1].time.reset();
  EXPECT_EQ(ids_of(new_items(known, timed)), (Ids{"c", "b", "a"}));
}

// An id that occurs twice fires once; a changed text does not fire again; an item that was gone for
// one poll is still known.
TEST(KnownItems, EachIdFiresOnce) {
  const KnownItems known{.polled = true};
  const NewItems twice = new_items(known, feed_of({"a", "a"}));
  EXPECT_EQ(ids_of(twice), Ids{"a"});
  Feed changed = feed_of({"a"});
  changed.items[0].title = "new title";
  EXPECT_EQ(ids_of(new_items(twice.known, changed)), Ids{});
  const NewItems gone = new_items(twice.known, feed_of({"b"}));
  EXPECT_EQ(ids_of(new_items(gone.known, feed_of({"a", "b"}))), Ids{});
}

// The memory is bounded, forgets the oldest first, and never forgets an item of the latest poll.
TEST(KnownItems, RemembersABoundedNumber) {
  KnownItems known{.polled = true};
  Feed feed;
  for (int round = 0; round < 5; ++round) {
    feed.items.clear();
    for (size_t i = 0; i < kFeedItemsMax; ++i) {
      feed.items.push_back({.id = std::to_string(round) + "/" + std::to_string(i)});
    }
    const NewItems news = new_items(known, feed);
    EXPECT_EQ(news.items.size(), kFeedItemsMax);
    known = news.known;
    EXPECT_LE(known.keys.size(), kKnownItemsMax);
  }
  EXPECT_EQ(new_items(known, feed).items.size(), 0u);
  EXPECT_EQ(new_items(known, feed_of({"3/7"})).items.size(), 0u);
  EXPECT_EQ(new_items(known, feed_of({"0/7"})).items.size(), 1u);
}

// Over any sequence of polls, an id fires exactly once unless the first poll had it.
RC_GTEST_PROP(KnownItems, FiresEachExactlyOnce, (std::vector<std::vector<std::uint8_t>> polls)) {
  KnownItems known;
  std::multiset<std::string> fired;
  std::set<std::string> seen;
  for (size_t i = 0; i < polls.size(); ++i) {
    Feed feed;
    for (const auto id : polls[i]) feed.items.push_back({.id = std::to_string(id)});
    const NewItems news = new_items(known, feed);
    known = news.known;
    for (const FeedItem& item : news.items) fired.insert(item.id);
    if (i > 0) {
      for (const auto id : polls[i]) seen.insert(std::to_string(id));
    }
  }
  if (!polls.empty()) {
    for (const auto id : polls[0]) seen.erase(std::to_string(id));
  }
  RC_ASSERT(std::ranges::equal(fired, seen));
}

}  // namespace
}  // namespace drover::triggers
