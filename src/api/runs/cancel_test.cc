#include "api/runs/cancel.h"

#include "api/door_fixture.h"

namespace drover::api {
namespace {

using Cancel = Door;

// R6: every outcome has its status, and a cancel may be repeated.
TEST_F(Cancel, AnswersWithTheOutcome) {
  EXPECT_EQ(ask("PUT", "/api/lanes/one", R"({"limit":1})").status, 200U);
  const std::string running = submit(R"({"command":["true"],"lane":"one"})");
  const std::string waiting = submit(R"({"command":["true"],"lane":"one"})");
  const Answer queued = ask("POST", "/api/runs/" + waiting + "/cancel", "{}");
  EXPECT_EQ(queued.status, 200U);
  EXPECT_EQ(queued.json().at("run_id"), text(waiting));
  EXPECT_EQ(queued.json().at("outcome"), "canceled");
  EXPECT_TRUE(queued.json().at("receipt").is_null());
  for (int i = 0; i < 2; ++i) {
    const Answer requested = ask("POST", "/api/runs/" + running + "/cancel");
    EXPECT_EQ(requested.status, 202U);
    EXPECT_EQ(requested.json().at("outcome"), "cancel_requested");
  }
  finish(running);
  const Answer after = ask("POST", "/api/runs/" + running + "/cancel");
  EXPECT_EQ(after.status, 200U);
  EXPECT_EQ(after.json().at("outcome"), "already_finished");
  expect_error(ask("POST", "/api/runs/run_00000000000000000000000000/cancel"), 404, "not_found",
               "run_id");
  on_loop([&] { dispatcher_.refuses_cancel = true; });
  const Answer refused = ask("POST", "/api/runs/" + running + "/cancel");
  expect_error(refused, 409, "not_cancellable", "run_id");
  EXPECT_EQ(refused.json().at("outcome"), "not_cancellable");
}

// The caller may set the grace, down to zero; other fields are refused.
TEST_F(Cancel, TakesAGrace) {
  const std::string id = submit();
  ask("POST", "/api/runs/" + id + "/cancel", R"({"grace":"0ms"})");
  EXPECT_EQ(on_loop([&] { return dispatcher_.last_grace_ms; }), 0);
  ask("POST", "/api/runs/" + id + "/cancel", "{}");
  EXPECT_EQ(on_loop([&] { return dispatcher_.last_grace_ms; }), std::nullopt);
  expect_error(ask("POST", "/api/runs/" + id + "/cancel", R"({"force":true})"), 400,
               "unknown_field", "force");
  EXPECT_EQ(ask("POST", "/api/runs/" + id + "/cancel", R"({"grace":"now"})").error("param"),
            "grace");
}

// R6: canceling a scope cancels the runs in it and below it, and no others. Queued runs come first,
// or canceling a running one would start them.
TEST_F(Cancel, CancelsAWholeScope) {
  ask("PUT", "/api/lanes/one", R"({"limit":1})");
  const std::string running = submit(R"({"command":["true"],"scope":"a","lane":"one"})");
  const std::string waiting = submit(R"({"command":["true"],"scope":"a/b","lane":"one"})");
  const std::string ended = submit(R"({"command":["true"],"scope":"a"})");
  finish(ended);
  const std::string other = submit(R"({"command":["true"],"scope":"ab"})");
  const Answer answer = ask("POST", "/api/cancel", R"({"scope":"a"})");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.json(),
            boost::json::parse(R"({"scope":"a","outcomes":{"canceled":1,"cancel_requested":1}})"));
  const auto canceled = on_loop([&] { return dispatcher_.canceled; });
  EXPECT_EQ(canceled, (std::vector<RunId>{*RunId::parse(waiting), *RunId::parse(running)}));
  EXPECT_EQ(ask("POST", "/api/cancel", R"({"scope":"none"})").json().at("outcomes"),
            boost::json::object{});
  expect_error(ask("POST", "/api/cancel", "{}"), 400, "invalid_value", "scope");
}

// R8: a finished run can be deleted, an active one cannot, and afterwards it is not found.
TEST_F(Cancel, DeletesOnlyFinishedRuns) {
  const std::string id = submit();
  const Answer active = ask("DELETE", "/api/runs/" + id);
  expect_error(active, 409, "active_process_conflict", "run_id");
  EXPECT_EQ(active.json().at("outcome"), "active_process_conflict");
  EXPECT_EQ(active.json().at("run_id"), text(id));
  finish(id);
  const Answer gone = ask("DELETE", "/api/runs/" + id);
  EXPECT_EQ(gone.status, 200U);
  EXPECT_EQ(gone.json(), (boost::json::object{{"run_id", id}, {"outcome", "deleted"}}));
  expect_error(ask("DELETE", "/api/runs/" + id), 404, "not_found", "run_id");
  expect_error(ask("GET", "/api/runs/" + id), 404, "not_found", "run_id");
  // Its evidence stays (H4).
  EXPECT_EQ(ask("GET", "/api/runs/" + id + "/events").status, 200U);
}

}  // namespace
}  // namespace drover::api
