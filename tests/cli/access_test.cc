// Access control: the owner, tokens, runs with their own tokens, and strangers.
#include "tests/cli/access_fixture.h"

namespace drover::tests {
namespace {

// R15: every kind of token with every kind of permission. A presented token narrows the rights,
// also on the unix socket, and a forbidden request is 403 before anything else is checked.
TEST_F(Access, EveryTokenIsLimitedToItsRights) {
  const std::string id = flock_.run("sleep 1000", {"--scope", "app"});
  const std::string read = token("read", "app");
  const std::string run = token("run", "app");
  const std::string cancel = token("cancel", "app");
  const std::string submit = R"({"command":["true"]})";
  struct Try {
    HttpRequest asked;
    int as_reader, as_runner, as_canceler;
  };
  const std::vector<Try> tries{
      {{.target = "/api/runs"}, 200, 403, 403},
      {{.target = "/api/runs/" + id}, 200, 403, 403},
      {{.target = "/api/runs/" + id + "/logs"}, 200, 403, 403},
      {{.target = "/api/events"}, 200, 403, 403},
      {{.target = "/api/status"}, 403, 403, 403},
      {{.method = "POST", .target = "/api/runs", .body = submit}, 403, 202, 403},
      {{.method = "POST", .target = "/api/runs/" + id + "/move", .body = R"({"priority":-1})"},
       403,
       409,
       403},
      {{.method = "POST", .target = "/api/runs/" + id + "/signal", .body = R"({"signal":"CONT"})"},
       403,
       403,
       200},
      {{.method = "DELETE", .target = "/api/runs/" + id}, 403, 403, 409},
      {{.target = "/api/lanes"}, 403, 403, 403},
      {{.method = "PUT", .target = "/api/lanes/x", .body = R"({"limit":1})"}, 403, 403, 403},
      {{.method = "POST", .target = "/api/stop", .body = "{}"}, 403, 403, 403},
      {{.target = "/api/tokens"}, 403, 403, 403},
      {{.method = "POST", .target = "/api/tokens", .body = "{}"}, 403, 403, 403},
      {{.method = "DELETE", .target = "/api/tokens/tok_1"}, 403, 403, 403},
      {{.method = "POST", .target = "/api/ui", .body = "{}"}, 403, 403, 403},
      {{.method = "POST", .target = "/api/runs/" + id + "/cancel", .body = "{}"}, 403, 403, 202},
  };
  const pid_t daemon = flock_.daemon();
  for (const Try& one : tries) {
    for (const auto& [key, status] : {std::pair(read, one.as_reader), std::pair(run, one.as_runner),
                                      std::pair(cancel, one.as_canceler)}) {
      HttpRequest asked = one.asked;
      asked.token = key;
      const Reply reply = ask(asked);
      EXPECT_EQ(reply.status, status) << asked.method << " " << asked.target << " " << reply.body;
      if (status == 403) EXPECT_EQ(reply.error(), "forbidden");
    }
  }
  EXPECT_EQ(flock_.daemon(), daemon);
  EXPECT_EQ(ask({.target = "/api/tokens", .token = owner_token()}).status, 200);
}

// An invalid token is refused with the same message, whatever is wrong with it.
TEST_F(Access, AnInvalidTokenIsRefusedWithOneMessage) {
  const std::string revoked = token("read");
  const auto all = flock_.json({"token", "ls"});
  flock_.ok({"token", "revoke", text_of(all.at("tokens").at(0).as_object(), "token_id")});
  const std::string short_lived = token("read", "", "1ms");
  std::string forged = token("read");
  forged.back() = forged.back() == '0' ? '1' : '0';
  std::string of_run;
  const std::string id = run_with_token(of_run);
  EXPECT_EQ(ask({.target = "/api/runs/" + id, .token = of_run}).status, 200);
  flock_.ok({"cancel", id});
  while (ask({.target = "/api/status", .token = short_lived}).status == 200) {
  }
  std::string words;
  for (const std::string& bad : {revoked, short_lived, forged, of_run, std::string("x"),
                                 std::string("dro_owner_0"), owner_token() + "0"}) {
    const Reply reply = ask({.target = "/api/status", .token = bad});
    EXPECT_EQ(reply.status, 401) << bad;
    EXPECT_EQ(reply.error(), "unauthorized");
    EXPECT_EQ(reply.header("WWW-Authenticate"), "Bearer realm=\"drover\"");
    const std::string message(reply.json().at("error").at("message").as_string());
    EXPECT_EQ(words.empty() ? message : words, message);
    words = message;
  }
  const Reply basic =
      ask({.target = "/api/status", .headers = "Authorization: Basic cm9vdDpyb290\r\n"});
  EXPECT_EQ(basic.status, 401);
  EXPECT_EQ(ask({.target = "/api/status"}).status, 200);  // Without a token, the socket's owner.
}

// H5: runs of another scope are invisible: by id, prefix or @last, in lists, events and a scope's
// cancel. A run in another scope cannot be started either.
TEST_F(Access, OtherScopesAreInvisible) {
  const std::string theirs = flock_.run("sleep 1000", {"--scope", "other"});
  flock_.wait_for_state(theirs, "running");
  const std::string key = token("read,run,cancel", "app");
  for (const std::string& name : {theirs, theirs.substr(0, 25), std::string("@last")}) {
    for (const auto& [method, rest, body] :
         {std::tuple("GET", "", ""), std::tuple("GET", "/logs", ""),
          std::tuple("GET", "/events", ""), std::tuple("GET", "/why", ""),
          std::tuple("POST", "/cancel", "{}"), std::tuple("POST", "/retry", "{}"),
          std::tuple("DELETE", "", "")}) {
      const Reply reply =
          ask({.method = method, .target = "/api/runs/" + name + rest, .token = key, .body = body});
      EXPECT_EQ(reply.status, 404) << method << " " << name << rest << reply.body;
      EXPECT_EQ(reply.error(), "not_found");
    }
  }
  EXPECT_TRUE(
      ask({.target = "/api/runs?scope=other", .token = key}).json().at("runs").as_array().empty());
  EXPECT_TRUE(ask({.target = "/api/runs", .token = key}).json().at("runs").as_array().empty());
  EXPECT_TRUE(ask({.target = "/api/events", .token = key}).json().at("events").as_array().empty());
  EXPECT_EQ(ask({.target = "/api/events?scope=other", .token = key}).error(), "forbidden");
  ask({.method = "POST", .target = "/api/cancel", .token = key, .body = R"({"scope":"other"})"});
  EXPECT_EQ(ask({.method = "POST",
                 .target = "/api/runs",
                 .token = key,
                 .body = R"({"command":["true"],"scope":"other"})"})
                .error(),
            "forbidden");
  EXPECT_EQ(ask({.method = "POST",
                 .target = "/api/runs",
                 .token = key,
                 .body = R"({"command":["true"],"after":[")" + theirs + "\"]}"})
                .error(),
            "not_found");
  EXPECT_EQ(text_of(flock_.show(theirs), "state"), "running");
  // Its own runs are visible.
  const Reply own = ask(
      {.method = "POST", .target = "/api/runs", .token = key, .body = R"({"command":["true"]})"});
  const std::string id = text_of(own.json(), "run_id");
  EXPECT_EQ(text_of(ask({.target = "/api/runs/@last", .token = key}).json(), "run_id"), id);
  EXPECT_EQ(text_of(flock_.show(id), "scope"), "app");
}

// S1: names resolve to the caller's own runs first: a name given with a token hides no other, also
// after a crash. A run finds itself by its name.
TEST_F(Access, NamesResolveToTheCallersOwnRuns) {
  const std::string key = token("read,run", "app");
  const std::string theirs = text_of(ask({.method = "POST",
                                          .target = "/api/runs",
                                          .token = key,
                                          .body = R"({"command":["true"],"name":"build"})"})
                                         .json(),
                                     "run_id");
  EXPECT_EQ(text_of(flock_.show("build"), "run_id"), theirs);
  const std::string own = flock_.run("drover show --json build", {"--name", "build"});
  EXPECT_EQ(text_of(flock_.ended(own), "state"), "completed");
  const auto seen = boost::json::parse(flock_.ok({"logs", own})).as_object();
  EXPECT_EQ(text_of(seen, "run_id"), own);
  flock_.kill_daemon();
  EXPECT_EQ(text_of(flock_.show("build"), "run_id"), own);
  EXPECT_EQ(text_of(ask({.target = "/api/runs/build", .token = key}).json(), "run_id"), theirs);
  flock_.ok({"rm", own});
  flock_.ended(theirs);
  EXPECT_EQ(text_of(flock_.show("build"), "run_id"), theirs);
}

// R15: a run that a run starts with its token is below it and visible to it, and nothing else is.
// When the run has finished, its token is invalid.
TEST_F(Access, ARunSeesOnlyItsChildren) {
  const std::string stranger = flock_.run("sleep 1000");
  flock_.wait_for_state(stranger, "running");
  const std::string script = "drover run --detach -- sleep 1000 > " + flock_.file("child") +
                             "; drover ps --json > " + flock_.file("seen") + "; drover show " +
                             stranger + "; echo show $?; drover cancel " + stranger +
                             "; echo cancel $?; drover stop; echo stop $?; drover show " +
                             "$DROVER_RUN_ID > /dev/null; echo self $?; drover run --scope deep "
                             "-- true; printf %s \"$DROVER_TOKEN\" > " +
                             flock_.file("token") + "; exit 3";
  const std::string parent = flock_.run(script);
  EXPECT_EQ(flock_.ended(parent).at("exit_code").to_number<int>(), 3);
  const std::string said = flock_.ok({"logs", parent});
  for (const char* line : {"show 5", "cancel 5", "stop 2", "self 0"}) {
    EXPECT_NE(said.find(line), std::string::npos) << said;
  }
  const auto trimmed = [&](const char* name) {
    std::string text = *read_file(flock_.file(name), 10'000);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  };
  const std::string child = trimmed("child");
  const auto seen = boost::json::parse(trimmed("seen")).at("runs").as_array();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(text_of(seen[0].as_object(), "run_id"), child);
  const auto record = flock_.show(child);
  EXPECT_EQ(text_of(record, "parent_run_id"), parent);
  EXPECT_EQ(text_of(record, "scope"), "default/" + parent);
  EXPECT_EQ(text_of(flock_.show("@last"), "scope"), "default/" + parent + "/deep");
  EXPECT_EQ(text_of(flock_.show(stranger), "state"), "running");
  EXPECT_EQ(ask({.target = "/api/runs/" + child, .token = trimmed("token")}).status, 401);
  // Detached, so it is not killed with its parent.
  EXPECT_EQ(text_of(flock_.show(child), "state"), "running");
  flock_.expect_verified();
}

// A killed daemon forgets no token, no browser session and no revocation.
TEST_F(Access, TokensSurviveARestart) {
  flock_.environment["DROVER_LISTEN"] = "127.0.0.1:0";
  const std::string kept = token("read");
  const std::string gone = token("read");
  const auto all = flock_.json({"token", "ls"});
  flock_.ok({"token", "revoke", text_of(all.at("tokens").at(1).as_object(), "token_id")});
  std::string of_run;
  const std::string id = run_with_token(of_run);
  flock_.environment["DROVER_LISTEN"] = "127.0.0.1:" + std::to_string(port());
  const std::string session = log_in();
  flock_.kill_daemon();
  flock_.daemon();
  const bool first = ask({.target = "/api/status", .token = kept}).status == 200;
  EXPECT_NE(first, ask({.target = "/api/status", .token = gone}).status == 200);
  EXPECT_EQ(ask({.target = "/api/runs/" + id, .token = of_run}).status, 200);
  EXPECT_EQ(ask_tcp({.target = "/api/status", .headers = session}).status, 200);
}

}  // namespace
}  // namespace drover::tests
