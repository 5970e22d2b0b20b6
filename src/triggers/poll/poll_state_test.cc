#include "triggers/poll/poll_state.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

// A stored state is read back as it was.
RC_GTEST_PROP(PollState, IsReadBack, (std::vector<std::string> ids, bool polled)) {
  PollState state{.etag = "\"é\\\"", .last_modified = "then", .next_at = 7, .errors = 3};
  state.known.polled = polled;
  if (polled) {
    for (const std::string& id : ids) state.known.keys.push_back(item_key(id));
  } else {
    state.hash = std::string(64, 'a');
  }
  const auto back = parse_poll_state(to_json(state));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == state);
}

// The empty state, an unknown field and a missing one are fine.
TEST(PollState, AcceptsOtherVersions) {
  EXPECT_EQ(*parse_poll_state("{}"), PollState{});
  EXPECT_EQ(*parse_poll_state(to_json({})), PollState{});
  EXPECT_EQ(parse_poll_state("{\"errors\":2,\"later\":[1]}")->errors, 2);
}

// The largest state fits its bound, and longer values are dropped or cut, oldest keys first.
TEST(PollState, HasABound) {
  PollState state{.etag = std::string(kValidatorBytesMax, '"'),
                  .last_modified = std::string(kValidatorBytesMax, '\x01')};
  state.known.polled = true;
  for (size_t i = 0; i <= kKnownItemsMax; ++i) {
    state.known.keys.push_back(item_key(std::to_string(i)));
  }
  const std::string text = to_json(state);
  EXPECT_LE(text.size(), kPollStateBytesMax);
  const auto back = parse_poll_state(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->known.keys.size(), kKnownItemsMax);
  EXPECT_EQ(back->known.keys.back(), state.known.keys.back());
  state.etag += "x";
  EXPECT_EQ(parse_poll_state(to_json(state))->etag, "");
}

// A damaged state is an error that names the field.
TEST(PollState, RefusesDamage) {
  for (const char* text :
       {"", "[]", "{", "{\"etag\":1}", "{\"keys\":{}}", "{\"keys\":[1]}", "{\"keys\":[\"x\"]}",
        "{\"polled\":1}", "{\"hash\":\"x\"}", "{\"next_at\":-1}", "{\"next_at\":1e99}",
        "{\"next_at\":9223372036854775807}", "{\"errors\":\"1\"}", "{\"errors\":99999999999}"}) {
    const auto state = parse_poll_state(text);
    ASSERT_FALSE(state) << text;
    EXPECT_EQ(state.error().code, ErrorCode::corrupt);
    EXPECT_EQ(state.error().reason, "poll_state");
  }
  EXPECT_FALSE(parse_poll_state(std::string(kPollStateBytesMax + 1, ' ')));
}

}  // namespace
}  // namespace drover::triggers
