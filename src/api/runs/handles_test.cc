#include "api/runs/handles.h"

#include "api/door_fixture.h"

namespace drover::api {
namespace {

class Handles : public Door {
 protected:
  boost::json::object status_of(const std::string& id) {
    const HttpAnswer answer = ask("GET", "/_ref/runs/" + id);
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return answer.json().as_object();
  }
  // Submits a run with a token for that scope.
  std::string submit_in(const std::string& scope) {
    const HttpAnswer token =
        ask("POST", "/api/tokens", R"({"scope":")" + scope + R"(","can":"read,run"})");
    const HttpAnswer answer =
        ask("POST", "/api/runs", R"({"command":["true"]})",
            "Authorization: Bearer " + std::string(token.json().at("token").as_string()) + "\r\n");
    EXPECT_EQ(answer.status, 202U) << answer.body;
    return std::string(answer.json().at("run_id").as_string());
  }
};

// H2: a handle shows its run's state and result, from the acknowledgment on.
TEST_F(Handles, ShowARunsWholeLife) {
  const std::string id = submit_in("app/reports");
  auto status = status_of(id);
  EXPECT_EQ(status.at("object"), "run_status");
  EXPECT_EQ(status.at("run_id"), text(id));
  EXPECT_EQ(status.at("trace_id"), text(RunId::parse(id)->trace_id()));
  EXPECT_EQ(status.at("status"), "active");
  EXPECT_EQ(status.at("source").at("kind"), "app");
  EXPECT_EQ(status.at("source").at("id"), "reports");
  EXPECT_TRUE(status.at("acknowledged_at").is_string());
  EXPECT_EQ(status.at("started_at"), status.at("acknowledged_at"));
  for (const char* later : {"launched_at", "completed_at", "terminal_reason", "failure"}) {
    EXPECT_TRUE(status.at(later).is_null()) << later;
  }
  EXPECT_EQ(ask("GET", std::string(status.at("links").at("timeline").as_string())).status, 200U);

  start(id);
  status = status_of(id);
  EXPECT_EQ(status.at("status"), "active");
  EXPECT_EQ(status.at("started_at"), status.at("acknowledged_at"));
  EXPECT_EQ(status.at("launched_at"), "1970-01-01T00:00:00.001Z");  // As `start` says.

  finish(id, 3);
  status = status_of(id);
  EXPECT_EQ(status.at("status"), "failed");
  EXPECT_EQ(status.at("terminal_reason"), "exit_nonzero");
  EXPECT_EQ(status.at("failure").at("origin"), "process");
  EXPECT_TRUE(status.at("completed_at").is_string());
}

// H2: the source is what launched the run: what its scope names, otherwise a command. That is the
// run it was started in, or the run itself. The owner cannot claim to be a launcher.
TEST_F(Handles, NameTheSource) {
  const auto source_of = [&](const std::string& scope) {
    const std::string id = submit_in(scope);
    const auto source = status_of(id).at("source");
    const std::string named(source.at("id").as_string());
    return std::string(source.at("kind").as_string()) + " " + (named == id ? "itself" : named);
  };
  EXPECT_EQ(source_of("default"), "command itself");
  EXPECT_EQ(source_of("project/game"), "project game");
  EXPECT_EQ(source_of("trigger/nightly"), "trigger nightly");
  EXPECT_EQ(source_of("app/reports/run_x"), "app reports");
  EXPECT_EQ(source_of("session/7"), "session 7");
  EXPECT_EQ(source_of("batch/b1"), "batch b1");
  EXPECT_EQ(source_of("apple/pie"), "command itself");
  EXPECT_EQ(source_of("app"), "command itself");
  expect_error(ask("POST", "/api/runs", R"({"command":["true"],"scope":"app/reports"})"), 400,
               "scope_reserved", "scope");
}

// H6: a run whose launch failed was started, when it was accepted, but never launched; also after
// its record was deleted.
TEST_F(Handles, OfAFailedLaunchHaveNoLaunch) {
  const std::string id = submit();
  on_loop([&] {
    run::Ended ended{.id = *RunId::parse(id),
                     .ending = run::NotLaunched{LaunchStep::exec, ENOENT, "no program"}};
    EXPECT_TRUE(dispatcher_.record(ended));
  });
  const auto status = status_of(id);
  EXPECT_EQ(status.at("terminal_reason"), "launch_failed");
  EXPECT_EQ(status.at("started_at"), status.at("acknowledged_at"));
  EXPECT_TRUE(status.at("launched_at").is_null());
  ASSERT_EQ(ask("DELETE", "/api/runs/" + id).status, 200U);
  EXPECT_EQ(status_of(id), status);
}

// H4, R8: after a deletion only the handle remains, and gives the same answer as before.
TEST_F(Handles, OutliveTheRecord) {
  const std::string id = submit();
  start(id);
  finish(id);
  const auto before = status_of(id);
  EXPECT_EQ(before.at("status"), "completed");
  EXPECT_TRUE(before.at("failure").is_null());
  ASSERT_EQ(ask("DELETE", "/api/runs/" + id).status, 200U);
  const HttpAnswer removed = ask("GET", "/api/runs/" + id);
  expect_error(removed, 404, "not_found", "run_id");
  auto details = removed.json().at("error").at("details").as_object();
  EXPECT_EQ(details["end"].at("exit_code"), 0);
  details.erase("end");
  EXPECT_EQ(details, before);
  EXPECT_EQ(status_of(id), before);
  const auto timeline = ask("GET", "/_ref/runs/" + id + "/timeline").json();
  EXPECT_EQ(timeline.at("terminal_status"), "completed");
  EXPECT_EQ(timeline.at("events").as_array().back().at("type"), "run.deleted");
}

// H5: anything that is not a run's id is the typed 404, on every route.
TEST_F(Handles, RefuseEverythingButIds) {
  const std::string id = submit();
  const std::string ids[] = {"",
                             "x",
                             "%00",
                             "%",
                             "%zz",
                             "%ff%fe",
                             "@last",
                             "@failed",
                             "..",
                             "%2e%2e",
                             "run_",
                             id.substr(4),
                             id.substr(0, 12),
                             id + "0",
                             "*",
                             "a%2Fb",
                             "run_%27%20OR%201=1",
                             "run_01hf7yat00000000000000000z",
                             id + "%00",
                             "%20" + id,
                             std::string(10'000, 'z')};
  for (const std::string& strange : ids) {
    const std::string path = "/_ref/runs/" + strange;
    expect_error(ask("GET", path), 404, "not_found", "run_id");
    expect_error(ask("GET", path + "/timeline"), 404, "not_found", "run_id");
    expect_error(ask("POST", path + "/cancel"), 404, "not_found", "run_id");
  }
  EXPECT_TRUE(dispatcher_.canceled.empty());
}

// H8: pages join without gaps or repetitions, and the final status does not depend on the page. The
// error names an invalid limit or cursor.
TEST_F(Handles, HaveATimelineInPages) {
  const std::string id = submit();
  start(id);
  const std::string path = "/_ref/runs/" + id + "/timeline";
  EXPECT_TRUE(ask("GET", path).json().at("terminal_status").is_null());
  finish(id, 1);
  const auto whole = ask("GET", path).json();
  EXPECT_EQ(whole.at("object"), "run_timeline");
  EXPECT_TRUE(whole.at("next_cursor").is_null());
  boost::json::array joined;
  std::string cursor;
  do {
    const auto page = ask("GET", path + "?limit=1" + cursor).json();
    EXPECT_EQ(page.at("terminal_status"), "failed");
    EXPECT_EQ(page.at("events").as_array().size(), 1U);
    joined.push_back(page.at("events").at(0));
    const auto& next = page.at("next_cursor");
    cursor = next.is_null() ? "" : "&cursor=" + std::string(next.as_string());
  } while (!cursor.empty());
  EXPECT_EQ(joined, whole.at("events"));
  EXPECT_GE(joined.size(), 3U);
  EXPECT_EQ(ask("GET", path + "?limit=5000").status, 200U);
  for (const char* bad : {"0", "5001", "-1", "x", ""}) {
    expect_error(ask("GET", path + "?limit=" + bad), 400, "invalid_value", "limit");
  }
  for (const char* bad : {"x", "-1", "1.x", "1-", "1-x", "1.2-ab", "99999999999999999999", "%00"}) {
    expect_error(ask("GET", path + "?cursor=" + bad), 400, "invalid_value", "cursor");
  }
}

// H9: a cancel by handle may be repeated until the run has finished; then it is a conflict, also
// after the record was deleted.
TEST_F(Handles, CancelRepeatedly) {
  const std::string id = submit();
  start(id);
  const std::string path = "/_ref/runs/" + id + "/cancel";
  for (int i = 0; i < 2; ++i) {
    const HttpAnswer answer = ask("POST", path);
    EXPECT_EQ(answer.status, 202U);
    EXPECT_EQ(answer.json().at("outcome"), "cancel_requested");
    EXPECT_EQ(answer.json().at("run_id"), text(id));
  }
  EXPECT_EQ(status_of(id).at("status"), "active");
  expect_error(ask("POST", path, R"({"grace":7})"), 400, "invalid_value", "grace");
  finish(id);
  EXPECT_EQ(status_of(id).at("status"), "cancelled");
  EXPECT_TRUE(status_of(id).at("failure").is_null());
  expect_error(ask("POST", path), 409, "run_already_terminal", "run_id");
  ASSERT_EQ(ask("DELETE", "/api/runs/" + id).status, 200U);
  expect_error(ask("POST", path), 409, "run_already_terminal", "run_id");

  const std::string other = submit();
  on_loop([&] { return dispatcher_.refuses_cancel = true; });
  expect_error(ask("POST", "/_ref/runs/" + other + "/cancel"), 409, "not_cancellable", "run_id");
}

}  // namespace
}  // namespace drover::api
