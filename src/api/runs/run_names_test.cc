// S1: names of runs in API requests. The rules of resolving them: queries/resolve_test.
#include "api/door_fixture.h"

namespace drover::api {
namespace {

class RunNames : public Door {
 protected:
  std::string run_named(const std::string& name, const std::string& headers = "",
                        const std::string& more = "") {
    const HttpAnswer answer = ask(
        "POST", "/api/runs", R"({"command":["true"],"name":")" + name + "\"" + more + "}", headers);
    EXPECT_EQ(answer.status, 202U) << answer.body;
    return std::string(answer.json().at("run_id").as_string());
  }
  HttpAnswer look(const std::string& name, const std::string& headers = "") {
    return ask("GET", "/api/runs/" + name, "", headers);
  }
  // The run that `name` resolves to, or the error.
  std::string resolved(const std::string& name, const std::string& headers = "") {
    const HttpAnswer answer = look(name, headers);
    return answer.status == 200U ? std::string(answer.json().at("run_id").as_string())
                                 : answer.error("code");
  }
  std::string token(const std::string& scope) {
    const auto made =
        ask("POST", "/api/tokens", R"({"can":"read,run,cancel","scope":")" + scope + "\"}").json();
    return bearer(std::string(made.at("token").as_string()));
  }
  static std::string bearer(const std::string& text) {
    return "Authorization: Bearer " + text + "\r\n";
  }
};

// A run of the same name in another scope does not hide the caller's own run. Without a run of its
// own, the caller gets the other one.
TEST_F(RunNames, PreferTheCallersOwnRun) {
  const std::string app = token("app");
  const std::string theirs = run_named("build", app);
  EXPECT_EQ(resolved("build"), theirs);  // The only one that the owner sees.
  const std::string own = run_named("build");
  EXPECT_EQ(resolved("build"), own);
  EXPECT_EQ(resolved("build", app), theirs);
  EXPECT_EQ(resolved("build", token("other")), "not_found");
  // A token also sees runs below its scope. Among several of the same name, only ids are unique.
  const std::string below = R"(,"scope":"app/deep")";
  const std::string deep = run_named("deploy", app, below);
  EXPECT_EQ(resolved("deploy", app), deep);
  run_named("deploy", app, below);
  EXPECT_EQ(resolved("deploy", app), "ambiguous_name");
  const std::string top = run_named("deploy", app);
  EXPECT_EQ(resolved("deploy", app), top);
}

// R16: a repeated request is answered with its first run, even if its names no longer resolve. A
// new request needs them.
TEST_F(RunNames, AreNotNeededToRepeatARequest) {
  const std::string body = R"({"command":["true"],"after":["build"],"after_any":["check"]})";
  const auto post = [&](const std::string& key) {
    return ask("POST", "/api/runs", body, "Idempotency-Key: " + key + "\r\n");
  };
  const std::string build = run_named("build");
  const std::string check = run_named("check");
  const HttpAnswer first = post("k");
  ASSERT_EQ(first.status, 202U) << first.body;
  const auto expect_first = [&] {
    const HttpAnswer again = post("k");
    EXPECT_EQ(again.status, 202U) << again.body;
    EXPECT_EQ(again.json().at("run_id"), first.json().at("run_id"));
    EXPECT_EQ(again.headers.at("idempotent-replayed"), "true");
  };
  run_named("build");  // Now two runs have it.
  expect_first();
  expect_error(post("other"), 409, "ambiguous_name", "after");
  finish(check);
  ASSERT_EQ(ask("DELETE", "/api/runs/" + check).status, 200U);
  finish(build);
  ASSERT_EQ(ask("DELETE", "/api/runs/" + build).status, 200U);
  expect_first();
  expect_error(post("other"), 404, "not_found", "after_any");
  // Another request under that key is a conflict, even if it names a missing run.
  expect_error(ask("POST", "/api/runs", R"({"command":["false"],"after":["gone"]})",
                   "Idempotency-Key: k\r\n"),
               409, "idempotency_key_reused", "Idempotency-Key");
  expect_error(ask("POST", "/api/runs", body), 404, "not_found", "after_any");
}

}  // namespace
}  // namespace drover::api
