// S1: whom a name stands for: within what the caller sees, its own first, and never for somebody
// whose whole id was given.
#include "api/resolve.h"

#include "api/door_fixture.h"

namespace drover::api {
namespace {

class RunNames : public Door {
 protected:
  std::string run_named(const std::string& name, const std::string& headers = "",
                        const std::string& more = "") {
    const Answer answer = ask(
        "POST", "/api/runs", R"({"command":["true"],"name":")" + name + "\"" + more + "}", headers);
    EXPECT_EQ(answer.status, 202U) << answer.body;
    return std::string(answer.json().at("run_id").as_string());
  }
  Answer look(const std::string& name, const std::string& headers = "") {
    return ask("GET", "/api/runs/" + name, "", headers);
  }
  // Whom `name` stands for; or why for nobody.
  std::string found(const std::string& name, const std::string& headers = "") {
    const Answer answer = look(name, headers);
    return answer.status == 200U ? std::string(answer.json().at("run_id").as_string())
                                 : answer.error("code");
  }
  std::string token(const std::string& scope) {
    const auto made =
        ask("POST", "/api/tokens", R"({"can":"read,run,cancel","scope":")" + scope + "\"}").json();
    return bearer(std::string(made.at("token").as_string()));
  }
  std::string of_run(const std::string& id) {
    return bearer(on_loop([&] { return gate_.of_run(*RunId::parse(id)); }));
  }
  static std::string bearer(const std::string& text) {
    return "Authorization: Bearer " + text + "\r\n";
  }
};

// A run of another scope does not take the name of one's own away; it is found where there is no
// other, and by its own people.
TEST_F(RunNames, OwnOnesComeFirst) {
  const std::string app = token("app");
  const std::string theirs = run_named("build", app);
  EXPECT_EQ(found("build"), theirs);  // The only one that the owner sees.
  const std::string own = run_named("build");
  EXPECT_EQ(found("build"), own);
  EXPECT_EQ(found("build", app), theirs);
  EXPECT_EQ(found("build", token("other")), "not_found");
  // Below its scope a token has others', too, and they are told apart only by their ids.
  const std::string below = R"(,"scope":"app/deep")";
  const std::string deep = run_named("deploy", app, below);
  EXPECT_EQ(found("deploy", app), deep);
  run_named("deploy", app, below);
  EXPECT_EQ(found("deploy", app), "ambiguous_name");
  const std::string top = run_named("deploy", app);
  EXPECT_EQ(found("deploy", app), top);
}

// Of one that was tried again the latest attempt that is still there is meant, and as long as there
// is one, nobody else's is taken for it.
TEST_F(RunNames, SurviveTheirLastAttempt) {
  const std::string first = run_named("build");
  finish(first, 1);
  const Answer again = ask("POST", "/api/runs/build/retry", "{}");
  ASSERT_EQ(again.status, 202U) << again.body;
  const std::string second(again.json().at("run_id").as_string());
  EXPECT_EQ(found("build"), second);
  finish(second, 1);
  ASSERT_EQ(ask("DELETE", "/api/runs/" + second).status, 200U);
  EXPECT_EQ(found("build"), first);
  EXPECT_EQ(ask("GET", "/api/runs?latest=true").json().at("runs").as_array().size(), 1U);
  const std::string theirs = run_named("build", token("app"));
  EXPECT_EQ(found("build"), first);
  ASSERT_EQ(ask("DELETE", "/api/runs/" + first).status, 200U);
  EXPECT_EQ(found("build"), theirs);
  finish(theirs);
  ASSERT_EQ(ask("DELETE", "/api/runs/" + theirs).status, 200U);
  EXPECT_EQ(found("build"), "not_found");
}

// A name that looks like the beginning of an id wins; a whole id always does, with and without its
// run_. A name that another scope gave hides no id.
TEST_F(RunNames, LookLikeIds) {
  const std::string plain = submit();
  for (const std::string& start : {plain.substr(0, 20), plain.substr(4, 16), plain.substr(4, 1)}) {
    const std::string named = run_named(start);
    EXPECT_EQ(found(start), named);
  }
  for (const std::string& whole : {plain, plain.substr(4)}) {
    run_named(whole);
    EXPECT_EQ(found(whole), plain);
  }
  const std::string start = plain.substr(0, 29);
  const std::string stranger = run_named(start, token("app"));
  const Answer both = look(start);
  expect_error(both, 409, "ambiguous_name", "run_id");
  // Of one millisecond there may be others whose ids begin so.
  EXPECT_NE(both.error("message").find(stranger), std::string::npos) << both.body;
}

// A run finds itself by its name, from inside; who has it outside is not seen there. What it has
// started under the same name is another.
TEST_F(RunNames, OfTheRunThatAsks) {
  const std::string outside = run_named("job");
  const std::string self = run_named("job", "", R"(,"scope":"app")");
  const std::string inside = of_run(self);
  EXPECT_EQ(found("job", inside), self);
  EXPECT_EQ(found("job"), outside);
  run_named("job", inside);
  EXPECT_EQ(found("job", inside), "ambiguous_name");
}

// R16: a repeated request is answered with its first run, whatever has become of the names in it; a
// new one needs them.
TEST_F(RunNames, AreNotNeededToRepeatARequest) {
  const std::string body = R"({"command":["true"],"after":["build"],"after_any":["check"]})";
  const auto post = [&](const std::string& key) {
    return ask("POST", "/api/runs", body, "Idempotency-Key: " + key + "\r\n");
  };
  const std::string build = run_named("build");
  const std::string check = run_named("check");
  const Answer first = post("k");
  ASSERT_EQ(first.status, 202U) << first.body;
  const auto expect_first = [&] {
    const Answer again = post("k");
    EXPECT_EQ(again.status, 202U) << again.body;
    EXPECT_EQ(again.json().at("run_id"), first.json().at("run_id"));
    EXPECT_EQ(again.headers.at("idempotent-replayed"), "true");
  };
  run_named("build");  // Two have it now.
  expect_first();
  expect_error(post("other"), 409, "ambiguous_name", "after");
  finish(check);
  ASSERT_EQ(ask("DELETE", "/api/runs/" + check).status, 200U);
  finish(build);
  ASSERT_EQ(ask("DELETE", "/api/runs/" + build).status, 200U);
  expect_first();
  expect_error(post("other"), 404, "not_found", "after_any");
  // Another request under that key is one, also if it names what is not there.
  expect_error(ask("POST", "/api/runs", R"({"command":["false"],"after":["gone"]})",
                   "Idempotency-Key: k\r\n"),
               409, "idempotency_key_reused", "Idempotency-Key");
  expect_error(ask("POST", "/api/runs", body), 404, "not_found", "after_any");
}

// An id is nobody's name, also after its run was removed.
TEST_F(RunNames, NeverOfOneThatIsGone) {
  const std::string gone = run_named("first");
  finish(gone);
  ASSERT_EQ(ask("DELETE", "/api/runs/" + gone).status, 200U);
  const std::string bare = gone.substr(RunId::kPrefix.size());
  run_named(bare);
  EXPECT_EQ(found(bare), found(gone));
}

}  // namespace
}  // namespace drover::api
