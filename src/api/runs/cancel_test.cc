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
  const HttpAnswer queued = ask("POST", "/api/runs/" + waiting + "/cancel", "{}");
  EXPECT_EQ(queued.status, 200U);
  EXPECT_EQ(queued.json().at("run_id"), text(waiting));
  EXPECT_EQ(queued.json().at("outcome"), "canceled");
  EXPECT_TRUE(queued.json().at("receipt").is_null());
  for (int i = 0; i < 2; ++i) {
    const HttpAnswer requested = ask("POST", "/api/runs/" + running + "/cancel");
    EXPECT_EQ(requested.status, 202U);
    EXPECT_EQ(requested.json().at("outcome"), "cancel_requested");
  }
  finish(running);
  const HttpAnswer after = ask("POST", "/api/runs/" + running + "/cancel");
  EXPECT_EQ(after.status, 200U);
  EXPECT_EQ(after.json().at("outcome"), "already_finished");
  expect_error(ask("POST", "/api/runs/run_00000000000000000000000000/cancel"), 404, "not_found",
               "run_id");
  on_loop([&] { dispatcher_.refuses_cancel = true; });
  const HttpAnswer refused = ask("POST", "/api/runs/" + running + "/cancel");
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
  const HttpAnswer answer = ask("POST", "/api/cancel", R"({"scope":"a"})");
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
  const HttpAnswer active = ask("DELETE", "/api/runs/" + id);
  expect_error(active, 409, "active_process_conflict", "run_id");
  EXPECT_EQ(active.json().at("outcome"), "active_process_conflict");
  EXPECT_EQ(active.json().at("run_id"), text(id));
  finish(id);
  const HttpAnswer gone = ask("DELETE", "/api/runs/" + id);
  EXPECT_EQ(gone.status, 200U);
  EXPECT_EQ(gone.json(), (boost::json::object{{"run_id", id}, {"outcome", "deleted"}}));
  expect_error(ask("DELETE", "/api/runs/" + id), 404, "not_found", "run_id");
  expect_error(ask("GET", "/api/runs/" + id), 404, "not_found", "run_id");
  // Its evidence stays (H4).
  EXPECT_EQ(ask("GET", "/api/runs/" + id + "/events").status, 200U);
}

class RefusedRequests : public Door {
 protected:
  // The events of that type, in the whole log.
  std::vector<boost::json::object> all(std::string_view type) {
    return of_type(ask("GET", "/api/events?limit=1000").json(), type);
  }
  // The same, of the run alone.
  std::vector<boost::json::object> own(const std::string& id, std::string_view type) {
    return of_type(ask("GET", "/api/runs/" + id + "/events?limit=1000").json(), type);
  }

 private:
  static std::vector<boost::json::object> of_type(const boost::json::value& page,
                                                  std::string_view type) {
    std::vector<boost::json::object> out;
    for (const auto& event : page.at("events").as_array()) {
      if (event.at("type") == text(type)) out.push_back(event.as_object());
    }
    return out;
  }
};

// R12: subscribers of a run see refused and repeated requests before its final event, with their
// callers. The record stays as it was.
TEST_F(RefusedRequests, AreReportedToTheRunsSubscribers) {
  const std::string id = submit();
  start(id);
  Client subscriber = client();
  subscriber.ask("GET", "/api/runs/" + id + "/events?follow=true");
  ask("POST", "/api/runs/" + id + "/cancel");
  const auto before = ask("GET", "/api/runs/" + id).json();
  ask("POST", "/api/runs/" + id + "/cancel");
  ask("POST", "/_ref/runs/" + id + "/cancel");
  ask("DELETE", "/api/runs/" + id);
  EXPECT_EQ(ask("GET", "/api/runs/" + id).json(), before);
  finish(id);
  const std::string told = subscriber.read_to_end();
  EXPECT_LT(told.find("event: run.cancel_repeated"), told.find("event: run.delete_refused"));
  EXPECT_LT(told.find("event: run.delete_refused"), told.find("event: run.canceled"));
  EXPECT_NE(told.find("event: run.canceled"), std::string::npos);
  const auto repeated = own(id, "run.cancel_repeated");
  ASSERT_EQ(repeated.size(), 2U);
  EXPECT_EQ(
      repeated[1].at("data"),
      boost::json::parse(R"({"by":{"kind":"owner"},"outcome":"cancel_requested","count":2})"));
  const auto refused = own(id, "run.delete_refused");
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].at("data").at("outcome"), "active_process_conflict");
}

// H7, R12: after the final event such a request is reported in the whole log only, also if the
// run was removed: the final event stays the last of the run's own.
TEST_F(RefusedRequests, AreReportedApartAfterTheEnd) {
  const std::string id = submit(R"({"command":["true"],"scope":"a/b"})");
  finish(id);
  EXPECT_EQ(ask("POST", "/api/runs/" + id + "/cancel").status, 200U);
  expect_error(ask("POST", "/_ref/runs/" + id + "/cancel"), 409, "run_already_terminal", "run_id");
  EXPECT_EQ(ask("DELETE", "/api/runs/" + id).status, 200U);
  expect_error(ask("DELETE", "/api/runs/" + id), 404, "not_found", "run_id");
  expect_error(ask("DELETE", "/api/runs/" + submit().replace(4, 4, "0000")), 404, "not_found",
               "run_id");  // There was never such a run.
  const auto events = ask("GET", "/api/runs/" + id + "/events").json().at("events").as_array();
  ASSERT_GE(events.size(), 2U);
  EXPECT_EQ(events.back().at("type"), "run.deleted");
  EXPECT_EQ(events[events.size() - 2].at("type"), "run.completed");
  const auto canceled = all("run.cancel_refused");
  ASSERT_EQ(canceled.size(), 2U);
  for (const auto& event : canceled) {
    EXPECT_EQ(event.at("subject"), text("request/" + id));
    EXPECT_EQ(event.at("scope"), "a/b");
    EXPECT_EQ(event.at("data").at("run_id"), text(id));
    EXPECT_EQ(event.at("data").at("outcome"), "already_finished");
  }
  const auto deleted = all("run.delete_refused");
  ASSERT_EQ(deleted.size(), 1U);
  EXPECT_EQ(deleted[0].at("data").at("outcome"), "not_found");
}

// A loop of requests does not grow the log: a run has a bounded number of such events, before and
// after its end together. The metrics count every request.
TEST_F(RefusedRequests, AreBounded) {
  const std::string id = submit();
  on_loop([&] { dispatcher_.refuses_cancel = true; });
  for (int i = 0; i < 10; ++i) ask("POST", "/api/runs/" + id + "/cancel");
  EXPECT_EQ(own(id, "run.cancel_refused").size(), 10U);
  finish(id);
  for (int i = 0; i < 20; ++i) ask("POST", "/api/runs/" + id + "/cancel");
  EXPECT_EQ(all("run.cancel_refused").size(), size_t{limits::kRefusalsReportedMax});
  EXPECT_NE(ask("GET", "/metrics")
                .body.find(R"(drover_refused_requests_total{type="run.cancel_refused"} 30)"),
            std::string::npos);
}

// R12: the event says what kind of caller asked, and names the run itself. Only the owner learns
// which token or other run it was: readers of the run may not be allowed to see those.
TEST_F(RefusedRequests, NameTheirCallerToTheOwner) {
  const std::string parent = submit(R"({"command":["true"],"scope":"team"})");
  const std::string id = submit(R"({"command":["true"],"scope":"team/)" + parent + R"("})");
  const auto as = [&](const std::string& token) {
    return "Authorization: Bearer " + token + "\r\n";
  };
  const auto token_of = [&](const std::string& run) {
    return on_loop([&] { return gate_.of_run(*RunId::parse(run)); });
  };
  const auto issued = ask("POST", "/api/tokens", R"({"label":"ci","can":"read,cancel"})").json();
  ask("POST", "/api/runs/" + id + "/cancel");
  ask("POST", "/api/runs/" + id + "/cancel", {}, as(std::string(issued.at("token").as_string())));
  ask("POST", "/api/runs/" + id + "/cancel", {}, as(token_of(id)));
  ask("POST", "/api/runs/" + id + "/cancel", {}, as(token_of(parent)));
  ask("POST", "/api/runs/" + id + "/cancel");
  const auto events = own(id, "run.cancel_repeated");
  ASSERT_EQ(events.size(), 4U);
  const auto by = [&](size_t i) { return events[i].at("data").at("by"); };
  EXPECT_EQ(by(0), (boost::json::object{{"kind", "token"}}));
  EXPECT_EQ(by(1), (boost::json::object{{"kind", "run"}, {"id", id}}));
  EXPECT_EQ(by(2), (boost::json::object{{"kind", "run"}}));
  EXPECT_EQ(by(3), (boost::json::object{{"kind", "owner"}}));

  const auto callers = all("request.caller");
  ASSERT_EQ(callers.size(), 2U);
  EXPECT_EQ(callers[0].at("subject"), text("request/" + id));
  EXPECT_EQ(callers[0].at("data"),
            (boost::json::object{
                {"run_id", id},
                {"trace_id", events[0].at("trace_id")},
                {"request", "run.cancel_repeated"},
                {"count", 1},
                {"by", {{"kind", "token"}, {"id", issued.at("token_id")}, {"name", "ci"}}}}));
  EXPECT_EQ(callers[1].at("data").at("by"), (boost::json::object{{"kind", "run"}, {"id", parent}}));
  // No other reader of the run learns it from any page.
  const auto reader =
      ask("POST", "/api/tokens", R"({"label":"r","can":"read","scope":"team"})").json();
  for (const std::string& token : {std::string(reader.at("token").as_string()), token_of(id)}) {
    for (const std::string& path :
         {std::string("/api/events?limit=1000"), "/api/runs/" + id + "/events?limit=1000"}) {
      const std::string page = ask("GET", path, {}, as(token)).body;
      if (path.contains(id)) EXPECT_TRUE(page.contains("run.cancel_repeated")) << page;
      EXPECT_FALSE(page.contains("request.caller"));
      EXPECT_FALSE(page.contains(std::string(issued.at("token_id").as_string())));
      EXPECT_FALSE(page.contains("\"ci\""));
    }
  }
}

// A cancel or a delete by a caller that may only read is counted, and writes nothing.
TEST_F(RefusedRequests, AreOnlyCountedIfForbidden) {
  const std::string id = submit();
  const auto issued = ask("POST", "/api/tokens", R"({"label":"r","can":"read"})").json();
  const std::string token =
      "Authorization: Bearer " + std::string(issued.at("token").as_string()) + "\r\n";
  EXPECT_EQ(ask("POST", "/api/runs/" + id + "/cancel", {}, token).status, 403U);
  EXPECT_EQ(ask("POST", "/_ref/runs/" + id + "/cancel", {}, token).status, 403U);
  EXPECT_EQ(ask("DELETE", "/api/runs/" + id, {}, token).status, 403U);
  EXPECT_TRUE(all("run.cancel_refused").empty());
  EXPECT_TRUE(all("run.delete_refused").empty());
  const std::string metrics = ask("GET", "/metrics").body;
  EXPECT_TRUE(metrics.contains(R"(drover_refused_requests_total{type="run.cancel_refused"} 2)"));
  EXPECT_TRUE(metrics.contains(R"(drover_refused_requests_total{type="run.delete_refused"} 1)"));
}

}  // namespace
}  // namespace drover::api
