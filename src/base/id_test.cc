#include "base/id.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace drover {
namespace {

class TurnedByHand final : public Clock {
 public:
  WallMs wall_ms() const override { return now; }
  MonoNs mono_ns() const override { return now * 1'000'000; }
  WallMs now = 1'763'200'000'000;
};

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// H1: a printed id is parsed as the same id.
TEST(RunId, RoundTrips) {
  const SystemClock clock;
  IdMaker maker(clock);
  const RunId id = maker.next();
  EXPECT_EQ(id.view().size(), RunId::kSize);
  EXPECT_TRUE(id.view().starts_with(RunId::kPrefix));
  const auto parsed = RunId::parse(id.str());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, id);
  EXPECT_EQ(std::hash<RunId>{}(*parsed), std::hash<RunId>{}(id));
}

// S1, H5: any text that is not an id is not_found and names run_id, whatever it looks like.
TEST(RunId, AnythingElseIsNotFound) {
  const std::string good = "run_01hf7yat00000000000000000z";
  ASSERT_TRUE(RunId::parse(good));
  const std::vector<std::string> bad{
      "",
      "run_",
      good.substr(1),
      good + "0",
      good.substr(0, 29),
      "RUN_01hf7yat00000000000000000z",  // The prefix is lower case,
      "run_01HF7YAT00000000000000000Z",  // so are the digits,
      "run_01hf7yat0000000000000000iz",  // and i, l, o, u are no digits.
      "run_01hf7yat0000000000000000lz",
      "run_01hf7yat0000000000000000oz",
      "run_01hf7yat0000000000000000uz",
      "run_81hf7yat00000000000000000z",  // More than 128 bits.
      "run_01hf7yat0000000000000000/z",
      std::string("run_01hf7yat0000000000000000\0z", 30),
  };
  for (const std::string& text : bad) {
    const auto parsed = RunId::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::not_found);
    EXPECT_EQ(parsed.error().param, "run_id");
  }
}

// If any one byte of an id is changed, the text is another id or invalid, never the same id.
RC_GTEST_PROP(RunId, NoTwoTextsMeanTheSameRun, ()) {
  const TurnedByHand clock;
  IdMaker maker(clock);
  const RunId id = maker.next();
  std::string text = id.str();
  text[*rc::gen::inRange<size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  const auto parsed = RunId::parse(text);
  RC_ASSERT(!parsed || (*parsed == id) == (text == id.str()));
}

// Sorting ids sorts by time, whatever the clock does: still, forward, or set back.
RC_GTEST_PROP(IdMaker, OnlyIncreases, (const std::vector<std::int16_t>& jumps)) {
  TurnedByHand clock;
  IdMaker maker(clock);
  RunId last = maker.next();
  for (const std::int16_t jump : jumps) {
    clock.now += jump;
    const RunId id = maker.next();
    RC_ASSERT(last < id);
    RC_ASSERT(last.view() < id.view());
    last = id;
  }
}

// 100,000 submissions in one millisecond, from two makers, get 100,000 ids.
TEST(IdMaker, NeverRepeatsWithinAMillisecond) {
  const TurnedByHand clock;
  IdMaker one(clock);
  IdMaker two(clock);
  std::unordered_set<RunId> seen;
  for (int i = 0; i < 50'000; ++i) {
    seen.insert(one.next());
    seen.insert(two.next());
  }
  EXPECT_EQ(seen.size(), 100'000U);
}

// The first ten digits are the time, so that a later id sorts later, also across makers.
TEST(IdMaker, BeginsWithTheTime) {
  TurnedByHand clock;
  IdMaker before(clock);
  const RunId first = before.next();
  clock.now += 1;
  IdMaker after(clock);
  EXPECT_LT(first, after.next());
}

// An id contains its time, and no id of that millisecond sorts before the earliest.
TEST(RunId, KnowsItsTime) {
  TurnedByHand clock;
  IdMaker maker(clock);
  const RunId id = maker.next();
  EXPECT_EQ(id.time(), clock.now);
  EXPECT_EQ(RunId::earliest(clock.now).time(), clock.now);
  EXPECT_LT(RunId::earliest(clock.now), id);
  EXPECT_LT(id, RunId::earliest(clock.now + 1));
  EXPECT_TRUE(RunId::parse(RunId::earliest(clock.now).view()));
}

// R1: a trace id is 32 hex digits, never all zero, and different for each run.
TEST(RunId, TraceIdIs32HexDigits) {
  const TurnedByHand clock;
  IdMaker maker(clock);
  const std::string one = maker.next().trace_id();
  const std::string two = maker.next().trace_id();
  EXPECT_EQ(one.size(), 32U);
  EXPECT_TRUE(is_hex(one)) << one;
  EXPECT_NE(one, std::string(32, '0'));
  EXPECT_NE(one, two);
  EXPECT_EQ(RunId::parse("run_01hf7yat00000000000000000z")->trace_id(),
            "018bcfe568000000000000000000001f");
}

// Random text has the requested length and only hex digits.
TEST(RandomHex, IsHexAndDiffers) {
  EXPECT_EQ(random_hex(0), "");
  EXPECT_EQ(random_hex(16).size(), 16U);
  EXPECT_TRUE(is_hex(random_hex(200)));
  EXPECT_NE(random_hex(32), random_hex(32));
}

}  // namespace
}  // namespace drover
