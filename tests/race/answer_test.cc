// Two people answer one question at the same time, or one answers while it expires: the first one
// wins, and every response agrees with the record.
#include <boost/json/serialize.hpp>

#include "tests/race/race.h"

namespace drover::race {
namespace {

class AnswerRace : public Race {
 protected:
  // A question of a run that finishes meanwhile.
  std::string ask(Client& client, std::string_view more = "") {
    const std::string run = submit(client, "brief", 0).text("run_id");
    const HttpAnswer asked =
        client.ask("POST", "/api/runs/" + run + "/questions",
                   R"({"question":"which?","choices":["a","b"])" + std::string(more) + "}");
    EXPECT_EQ(asked.status, 202) << boost::json::serialize(asked.body);
    return "/api/inbox/" + asked.text("id");
  }
  static std::string choice_of(const HttpAnswer& entry) {
    const boost::json::value& answer = entry.body.at("answer");
    return answer.is_null() ? "" : text_in(answer.as_object(), "choice");
  }
};

// A15: of two different answers one is recorded and the other a conflict; of two equal ones both
// succeed; a dismissal that is first refuses both.
TEST_F(AnswerRace, TheFirstOneWins) {
  each_round([&](int, std::mt19937& random) {
    Client one = connect(), other = connect(), third = connect();
    const std::string question = ask(one);
    const bool same = between(random, 0, 3) == 0;
    const bool dismissed = between(random, 0, 3) == 0;
    one.send(request_of("POST", question + "/answer", R"({"choice":"a"})"));
    if (dismissed) third.send(request_of("POST", question + "/dismiss", "{}"));
    other.send(
        request_of("POST", question + "/answer", same ? R"({"choice":"a"})" : R"({"choice":"b"})"));
    const HttpAnswer first = one.take();
    const HttpAnswer second = other.take();
    if (dismissed) third.take();
    const HttpAnswer now = one.ask("GET", question);
    SCOPED_TRACE(boost::json::serialize(now.body));
    EXPECT_EQ(first.status == 200, choice_of(now) == "a");
    EXPECT_EQ(second.status == 200, choice_of(now) == (same ? "a" : "b"));
    EXPECT_TRUE(first.status == 200 || first.status == 409) << first.status;
    EXPECT_TRUE(second.status == 200 || second.status == 409) << second.status;
    EXPECT_EQ(now.text("state"), choice_of(now).empty() ? "dismissed" : "answered");
  });
  expect_settled();
}

// A15: an answer that arrives at the deadline is recorded, or refused because the question has
// expired; a client that waits learns the same.
TEST_F(AnswerRace, AgainstTheDeadline) {
  each_round(
      [&](int, std::mt19937& random) {
        Client one = connect(), waiting = connect();
        const int ms = between(random, 1, 30);
        const std::string question = ask(one, ",\"timeout\":\"" + std::to_string(ms) + "ms\"");
        waiting.send(request_of("GET", question + "?wait=1m"));
        pause_us(std::max(0, ms * 1'000 + between(random, -4'000, 2'000)));
        const HttpAnswer answer = one.ask("POST", question + "/answer", R"({"choice":"a"})");
        const HttpAnswer seen = waiting.take();
        SCOPED_TRACE(boost::json::serialize(seen.body));
        EXPECT_EQ(answer.status, seen.text("state") == "answered" ? 200 : 409);
        EXPECT_EQ(seen.text("state"), choice_of(seen).empty() ? "expired" : "answered");
        EXPECT_EQ(one.ask("GET", question).text("state"), seen.text("state"));
      },
      4);
  expect_settled();
}

}  // namespace
}  // namespace drover::race
