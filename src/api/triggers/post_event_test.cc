#include "api/door_fixture.h"
#include "triggers/events/limits.h"

namespace drover::api {
namespace {

class PostEvent : public Door {};

// A token has a quota of events; the owner and another token do not use it up.
TEST_F(PostEvent, HasAQuotaByToken) {
  const auto bearer = [this] {
    const auto token = ask("POST", "/api/tokens", R"({"can":"run","scope":"app"})").json();
    return "Authorization: Bearer " + std::string(token.at("token").as_string()) + "\r\n";
  };
  const std::string first = bearer();
  const std::string body = R"({"type":"site.built"})";
  Client one = client();
  for (std::int64_t i = 0; i < triggers::kPostedPerMinuteMax; ++i) {
    one.ask("POST", "/api/events", body, first);
    ASSERT_EQ(one.answer().status, 202U);
  }
  HttpAnswer over;
  // A minute may have begun meanwhile.
  for (std::int64_t i = 0; i < triggers::kPostedPerMinuteMax && over.status != 429; ++i) {
    one.ask("POST", "/api/events", body, first);
    over = one.answer();
  }
  expect_error(over, 429, "quota_exceeded", "events");
  EXPECT_EQ(ask("POST", "/api/events", body, bearer()).status, 202U);
  EXPECT_EQ(ask("POST", "/api/events", body).status, 202U);
}

}  // namespace
}  // namespace drover::api
