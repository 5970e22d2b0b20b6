// The poller: what it asks, and what one poll writes.
#include "triggers/poll/poller.h"

#include "triggers/limits.h"
#include "triggers/poll/limits.h"
#include "triggers/room_fixture.h"

namespace drover::triggers {
namespace {

class PollerTest : public RoomFixture {
 protected:
  Result<> poll(const std::string& name) {
    const StoredTrigger trigger = stored(name);
    Poller poller([this](FetchRequest request) { return answer(std::move(request)); }, pool_,
                  clock_, reads_, recorder());
    return run(poller.poll(trigger, must(read_spec(trigger.spec, trigger.anchor))));
  }
  boost::asio::awaitable<Result<Fetched>> answer(FetchRequest request) {
    asked_.push_back(std::move(request));
    co_return answer_;
  }
  static std::string feed(int items) {
    std::string out = "<rss version='2.0'><channel><title>News</title>";
    for (int i = items; i > 0; --i) {
      const std::string id = "item-" + std::to_string(i);
      out += "<item><guid>" + id + "</guid><title>" + id + "</title></item>";
    }
    return out + "</channel></rss>";
  }
  void serve(std::string body, std::string etag = "") {
    Fetched page;
    page.body = std::move(body);
    page.etag = std::move(etag);
    answer_ = std::move(page);
  }
  PollState state_of_poll(const std::string& name) {
    const auto parts = must(state_of(store_, name));
    return must(parse_poll_state(parts.at(0).state));
  }

  Result<Fetched> answer_ = Fetched{};
  std::vector<FetchRequest> asked_;
};

const std::string kFeed = R"({"type": "feed", "url": "https://example.com/feed"})";

// The first poll records what is there; a new item then is an occurrence. The ETag of the last
// answer is sent, and an answer without a body changes nothing.
TEST_F(PollerTest, ANewItemFires) {
  add("news", kFeed);
  serve(feed(2), "\"1\"");
  ok(poll("news"));
  EXPECT_TRUE(occurrences("news").empty());
  EXPECT_EQ(asked_[0].etag, "");
  serve(feed(3), "\"2\"");
  ok(poll("news"));
  ASSERT_EQ(occurrences("news").size(), 1U);
  EXPECT_NE(occurrences("news")[0].event.find("item-3"), std::string::npos);
  EXPECT_EQ(asked_[1].etag, "\"1\"");
  answer_ = Fetched{};
  answer_->not_modified = true;
  ok(poll("news"));
  EXPECT_EQ(asked_[2].etag, "\"2\"");
  EXPECT_EQ(state_of_poll("news").etag, "\"2\"");
  EXPECT_EQ(occurrences("news").size(), 1U);
}

// The occurrence, the state and the time of the next poll are one commit: without it, nothing has
// happened, and the same poll again finds the same item.
TEST_F(PollerTest, APollIsOneCommit) {
  add("news", kFeed);
  serve(feed(1));
  ok(poll("news"));
  const StoredTrigger before = stored("news");
  clock_.advance_ms(3'600'000);
  serve(feed(2));
  writes_left = 0;
  EXPECT_FALSE(poll("news"));
  EXPECT_EQ(stored("news").wake_at, before.wake_at);
  writes_left = -1;
  writes = 0;
  ok(poll("news"));
  EXPECT_EQ(writes, 1);
  EXPECT_EQ(occurrences("news").size(), 1U);
  EXPECT_EQ(stored("news").wake_at, state_of_poll("news").next_at);
  EXPECT_GT(*stored("news").wake_at, clock_.wall_ms());
}

// More new items than fit in one commit have an occurrence each, also if the daemon dies between
// two.
TEST_F(PollerTest, ManyItemsAreSeveralCommits) {
  add("news", kFeed);
  serve(feed(0));
  ok(poll("news"));
  serve(feed(400));
  writes_left = 3;
  EXPECT_FALSE(poll("news"));
  EXPECT_EQ(occurrences("news").size(), 3 * kAcceptedPerWork);
  EXPECT_TRUE(state_of_poll("news").known.keys.empty());
  writes_left = -1;
  ok(poll("news"));
  EXPECT_EQ(occurrences("news").size(), 400U);
}

// An error is stored with its text and delays the next poll; the next success removes it.
TEST_F(PollerTest, AnErrorIsStored) {
  add("news", kFeed);
  answer_ = fail(ErrorCode::unavailable, "http_status", "the server answered 500");
  ok(poll("news"));
  ok(poll("news"));
  EXPECT_EQ(state_of_poll("news").errors, 2);
  EXPECT_EQ(state_of_poll("news").error, "http_status: the server answered 500");
  EXPECT_GE(*stored("news").wake_at, clock_.wall_ms() + 4 * kPollIntervalDefaultMs);
  serve(feed(1));
  ok(poll("news"));
  EXPECT_EQ(state_of_poll("news").error, "");
}

// A page fires when its selected text changes, each time.
TEST_F(PollerTest, AChangedPageFires) {
  add("page", R"({"type": "page", "url": "https://example.com/", "selector": "p"})");
  for (const char* text : {"one", "two", "two", "one"}) {
    serve("<p>" + std::string(text) + "</p>");
    ok(poll("page"));
  }
  ASSERT_EQ(occurrences("page").size(), 2U);
  EXPECT_NE(occurrences("page")[0].event.find("one"), std::string::npos);
}

}  // namespace
}  // namespace drover::triggers
