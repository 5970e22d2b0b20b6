// Cancels and deletes that change nothing, through the real programs (R12): subscribers learn of
// them, and of who sent them.
#include <gtest/gtest.h>

#include "tests/cli/access_fixture.h"

namespace drover::tests {
namespace {

using boost::json::object;

class RefusedRequests : public Access {
 protected:
  Reply cancel(const std::string& id, const std::string& token = "") {
    return ask({.method = "POST",
                .target = "/api/runs/" + id + "/cancel",
                .token = token,
                .body = R"({"grace":"1h"})"});
  }
  Reply remove(const std::string& id, const std::string& token = "") {
    return ask({.method = "DELETE", .target = "/api/runs/" + id, .token = token});
  }
  // The events of that type, in the whole log.
  std::vector<object> all(const std::string& type, const std::string& token = "") {
    std::vector<object> out;
    const Reply page = ask({.target = "/api/events?limit=1000", .token = token});
    const object body = page.json();
    for (const auto& event : body.at("events").as_array()) {
      if (text_of(event.as_object(), "type") == type) out.push_back(event.as_object());
    }
    return out;
  }
  std::string until_canceled() {
    const std::string id = flock_.run("trap '' TERM; : > " + flock_.file("begun") + "; " +
                                      until_file(flock_.file("go")));
    flock_.wait_for_file("begun");
    return id;
  }
};

// R12: a subscriber of the run sees them before its end, in order, with what kind of caller asked;
// the owner sees which token it was.
TEST_F(RefusedRequests, AreEventsOfTheRun) {
  const std::string id = until_canceled();
  auto stream = flock_.start({"events", "-f", "--json", "--after", "0"});
  const std::string stranger = token("read,cancel");
  EXPECT_EQ(remove(id).status, 409);
  EXPECT_EQ(cancel(id).status, 202);
  EXPECT_EQ(cancel(id, stranger).status, 202);
  stream->wait_for("run.cancel_repeated");
  flock_.touch("go");
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "canceled");
  stream->wait_for("run.canceled");
  stream->signal(SIGINT);
  const std::string told = stream->finish().out;
  EXPECT_LT(told.find("run.delete_refused"), told.find("run.cancel_requested"));
  EXPECT_LT(told.find("run.cancel_requested"), told.find("run.cancel_repeated"));
  EXPECT_LT(told.find("run.cancel_repeated"), told.find("run.canceled"));
  EXPECT_NE(told.find(R"("by":{"kind":"owner"},"outcome":"active_process_conflict","count":1)"),
            std::string::npos)
      << told;
  const auto repeated = all("run.cancel_repeated");
  ASSERT_EQ(repeated.size(), 1U);
  EXPECT_EQ(text_of(repeated[0], "run_id"), id);
  EXPECT_EQ(repeated[0].at("data").at("by"), (object{{"kind", "token"}}));
  const auto callers = all("request.caller");
  ASSERT_EQ(callers.size(), 1U);
  const object by = callers[0].at("data").at("by").as_object();
  EXPECT_NE(text_of(by, "id"), "");
  EXPECT_TRUE(all("request.caller", stranger).empty()) << "for the owner alone";
  flock_.expect_verified();
}

// R12, H7: after the end they are in the whole log; the final event stays the last of the run.
TEST_F(RefusedRequests, AreReportedAfterTheEnd) {
  const std::string id = flock_.run("exit 0");
  flock_.ended(id);
  EXPECT_EQ(cancel(id).status, 200);
  EXPECT_EQ(remove(id).status, 200);
  EXPECT_EQ(remove(id).status, 404);
  const auto canceled = all("run.cancel_refused");
  ASSERT_EQ(canceled.size(), 1U);
  EXPECT_EQ(text_of(canceled[0], "subject"), "request/" + id);
  EXPECT_EQ(canceled[0].at("data").at("outcome"), "already_finished");
  ASSERT_EQ(all("run.delete_refused").size(), 1U);
  const object own = ask({.target = "/api/runs/" + id + "/events"}).json();
  EXPECT_EQ(text_of(own.at("events").as_array().back().as_object(), "type"), "run.deleted");
  flock_.expect_verified();
}

// A loop of requests does not grow the log, also across daemons; a caller that may not cancel makes
// the daemon write nothing.
TEST_F(RefusedRequests, AreBounded) {
  const std::string id = flock_.run("exit 0");
  flock_.ended(id);
  const std::string reader = token("read");
  EXPECT_EQ(cancel(id, reader).status, 403);
  EXPECT_EQ(remove(id, reader).status, 403);
  EXPECT_TRUE(all("run.cancel_refused").empty());
  for (int daemon = 0; daemon < 2; ++daemon) {
    for (int i = 0; i < 12; ++i) EXPECT_EQ(cancel(id).status, 200);
    if (daemon == 0) EXPECT_EQ(all("run.cancel_refused").size(), 12U);
    flock_.kill_daemon();
    flock_.daemon();
  }
  EXPECT_EQ(all("run.cancel_refused").size(), 16U);
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::tests
