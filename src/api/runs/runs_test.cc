#include "api/runs/runs.h"

#include "api/door_fixture.h"
#include "play/kinds.h"

namespace drover::api {
namespace {

using Runs = Door;

// H1: the answer is a handle with links to everything about the run, and it resolves.
TEST_F(Runs, AreAcknowledgedWithAHandle) {
  const HttpAnswer answer = ask("POST", "/api/runs", R"({"command":["true"]})");
  ASSERT_EQ(answer.status, 202U);
  const auto body = answer.json().as_object();
  const std::string id(body.at("run_id").as_string());
  EXPECT_EQ(body.at("trace_id"), text(RunId::parse(id)->trace_id()));
  EXPECT_EQ(body.at("state"), "starting");
  EXPECT_EQ(answer.headers.at("location"), "/api/runs/" + id);
  for (const auto& [name, tail] :
       {std::pair{"self", ""}, {"events", "/events"}, {"logs", "/logs"}, {"cancel", "/cancel"}}) {
    EXPECT_EQ(body.at("links").at(name), text("/api/runs/" + id + tail));
  }
  EXPECT_EQ(ask("GET", std::string(body.at("links").at("self").as_string())).status, 200U);
}

// R15: a run continues its caller's trace; an invalid traceparent is ignored.
TEST_F(Runs, ContinueTheirCallersTrace) {
  const char* body = R"({"command":["true"]})";
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const auto traced = [&](const std::string& header) {
    return ask("POST", "/api/runs", body, "traceparent: " + header + "\r\n").json();
  };
  const auto run = traced("00-" + trace + "-00f067aa0ba902b7-01");
  EXPECT_EQ(run.at("trace_id"), text(trace));
  const std::string id(run.at("run_id").as_string());
  EXPECT_EQ(ask("GET", "/_ref/runs/" + id).json().at("trace_id"), text(trace));
  const auto own = traced("00-" + trace + "-0-01");
  EXPECT_EQ(own.at("trace_id"),
            text(RunId::parse(std::string(own.at("run_id").as_string()))->trace_id()));
}

// A repeated request with the same key gets the first run's handle and says so. Another request
// under that key is a conflict.
TEST_F(Runs, AreNotStartedTwiceUnderOneKey) {
  const char* body = R"({"command":["true"]})";
  const HttpAnswer first = ask("POST", "/api/runs", body, "Idempotency-Key: k1\r\n");
  const HttpAnswer again = ask("POST", "/api/runs", body, "Idempotency-Key: k1\r\n");
  EXPECT_EQ(again.status, 202U);
  EXPECT_EQ(again.json().at("run_id"), first.json().at("run_id"));
  EXPECT_FALSE(first.headers.contains("idempotent-replayed"));
  EXPECT_EQ(again.headers.at("idempotent-replayed"), "true");
  EXPECT_EQ(ask("POST", "/api/runs", R"({"command":["false"]})", "Idempotency-Key: k1\r\n").status,
            409U);
  expect_error(ask("POST", "/api/runs", body, "Idempotency-Key: " + std::string(300, 'k') + "\r\n"),
               400, "invalid_value", "Idempotency-Key");
}

// H6: an invalid request is refused, the error names the field, and no run is created.
TEST_F(Runs, RefuseInvalidRequests) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {R"({"command":)", "malformed_json", "body"},
      {R"(["true"])", "malformed_json", "body"},
      {R"({})", "invalid_value", "command"},
      {R"({"command":[]})", "invalid_value", "command"},
      {R"({"command":[""]})", "invalid_value", "command"},
      {R"({"command":"true"})", "invalid_value", "command"},
      {R"({"command":["true",1]})", "invalid_value", "command"},
      {R"({"command":["true"],"shell":"true"})", "invalid_value", "command"},
      {R"({"command":["true"],"cwd":"here"})", "invalid_value", "cwd"},
      {R"({"command":["true"],"cwd":7})", "invalid_value", "cwd"},
      {R"({"command":["true"],"env":{"A":1}})", "invalid_value", "env"},
      {R"({"command":["true"],"env":{"1A":"x"}})", "invalid_value", "env"},
      {R"({"command":["true"],"labels":{"a b":"x"}})", "invalid_value", "labels"},
      {R"({"command":["true"],"lane":"a/b"})", "invalid_value", "lane"},
      {R"({"command":["true"],"scope":"/x"})", "invalid_value", "scope"},
      {R"({"command":["true"],"timeout":10})", "invalid_value", "timeout"},
      {R"({"command":["true"],"timeout":"10"})", "", "timeout"},
      {R"({"command":["true"],"grace":"soon"})", "", "grace"},
      {R"({"command":["true"],"idle_timeout":"-1s"})", "", "idle_timeout"},
      {R"({"command":["true"],"stdin":"tty"})", "invalid_value", "stdin"},
      {R"({"command":["true"],"on_restart":"panic"})", "invalid_value", "on_restart"},
      {R"({"command":["true"],"inherit_env":"yes"})", "invalid_value", "inherit_env"},
      {R"({"command":["true"],"colour":"red"})", "unknown_field", "colour"},
  };
  for (const auto& [body, code, param] : cases) {
    const HttpAnswer answer = ask("POST", "/api/runs", body);
    expect_error(answer, 400, *code == 0 ? answer.error("code") : code, param);
  }
  expect_error(ask("POST", "/api/runs"), 400, "invalid_value", "command");
  EXPECT_TRUE(ask("GET", "/api/runs").json().at("runs").as_array().empty());
}

// Every field of a body arrives at the dispatcher unchanged (R15).
TEST_F(Runs, AreSubmittedAsAsked) {
  submit(R"({"shell":"exit 3","cwd":"/tmp","env":{"A":"1","HOME":"/h"},"name":"n","lane":"l",
             "labels":{"k":"v"},"timeout":"10s","idle_timeout":"5m","grace":"0ms","stdin":"pipe",
             "scope":"team/x","on_restart":"fail"})");
  const dispatch::Submission full = on_loop([&] { return dispatcher_.last; });
  EXPECT_EQ(full.spec.command(), (std::vector<std::string>{"/bin/sh", "-c", "exit 3"}));
  EXPECT_EQ(full.spec.cwd, "/tmp");
  EXPECT_EQ(full.spec.name, "n");
  EXPECT_EQ(full.spec.lane, "l");
  EXPECT_EQ(full.spec.labels.at("k"), "v");
  EXPECT_EQ(full.spec.timeout_ms, 10'000);
  EXPECT_EQ(full.spec.idle_timeout_ms, 300'000);
  EXPECT_EQ(full.spec.grace_ms, 0);
  EXPECT_EQ(full.spec.stdin_mode, run::Stdin::pipe);
  EXPECT_EQ(full.spec.scope, "team/x");
  EXPECT_EQ(full.spec.on_restart, run::OnRestart::fail);
  EXPECT_EQ(full.environment,
            (std::vector<std::string>{"A=1", "HOME=/h", "PATH=/bin:/opt/drover/bin"}));
  submit();
  const dispatch::Submission plain = on_loop([&] { return dispatcher_.last; });
  EXPECT_EQ(plain.spec.cwd, "/home/ann");
  EXPECT_EQ(plain.environment,
            (std::vector<std::string>{"HOME=/home/ann", "PATH=/bin:/opt/drover/bin"}));
}

// S1: a name resolves to the only run that has it; complete ids and @ words come before names.
// More: resolve_test.cc.
TEST_F(Runs, AreFoundByTheirName) {
  const auto named = [&](const std::string& name) {
    return submit(R"({"command":["true"],"name":")" + name + R"("})");
  };
  const std::string build = named("my build/1");
  const HttpAnswer found = ask("GET", "/api/runs/my%20build%2F1");
  ASSERT_EQ(found.status, 200U);
  EXPECT_EQ(found.json().at("run_id"), text(build));
  const std::string other = named("my build/1");
  const HttpAnswer both = ask("GET", "/api/runs/my%20build%2F1");
  expect_error(both, 409, "ambiguous_name", "run_id");
  EXPECT_NE(both.error("message").find(build), std::string::npos);
  EXPECT_NE(both.error("message").find(other), std::string::npos);
  named(build);  // The name is the id of the first run.
  EXPECT_EQ(ask("GET", "/api/runs/" + build).json().at("run_id"), text(build));
  named(build.substr(4));
  EXPECT_EQ(ask("GET", "/api/runs/" + build.substr(4)).json().at("run_id"), text(build));
  expect_error(ask("POST", "/api/runs", R"({"command":["true"],"name":"@last"})"), 400,
               "invalid_value", "name");
  const std::string last = submit();
  EXPECT_EQ(ask("GET", "/api/runs/@last").json().at("run_id"), text(last));
  expect_error(ask("GET", "/api/runs/my"), 404, "not_found", "run_id");
}

// Names that Drover gives to parts of a play do not resolve, and do not hide names given by people.
TEST_F(Runs, AreFoundOnlyByNamesGivenByPeople) {
  IdMaker ids(clock_);
  for (const std::string_view kind : {play::kStep, play::kRuntime}) {
    run::Record record;
    record.id = ids.next();
    record.kind = kind;
    record.name = "build it";
    record.lane = play::kLane;
    ASSERT_TRUE(on_loop([&] { return dispatcher_.record(run::Submitted{record, "", ""}); }));
  }
  expect_error(ask("GET", "/api/runs/build%20it"), 404, "not_found", "run_id");
  const std::string own = submit(R"({"command":["true"],"name":"build it"})");
  EXPECT_EQ(ask("GET", "/api/runs/build%20it").json().at("run_id"), text(own));
}

// S1: a run is found by its id, by a unique prefix with or without run_, and by @last.
TEST_F(Runs, AreFoundByAUniquePrefix) {
  EXPECT_EQ(ask("GET", "/api/runs/@last").status, 404U);
  const std::string first = submit();
  const std::string second = submit();
  size_t same = 0;
  while (first[same] == second[same]) ++same;
  for (const std::string& name : {second, second.substr(0, same + 1), second.substr(4, same - 3),
                                  std::string("@last"), std::string("%40last")}) {
    const HttpAnswer answer = ask("GET", "/api/runs/" + name);
    ASSERT_EQ(answer.status, 200U) << name;
    EXPECT_EQ(answer.json().at("run_id"), text(second));
  }
  const HttpAnswer both = ask("GET", "/api/runs/" + first.substr(0, same));
  expect_error(both, 409, "ambiguous_id", "run_id");
  EXPECT_NE(both.error("message").find(first), std::string::npos);
  for (const char* name : {"", "run_", "RUN_1", "run_00000000000000000000000000", "@first", "%00",
                           "run_7zzzzzzzzzzzzzzzzzzzzzzzzz", "a%2Fb", "%ff"}) {
    expect_error(ask("GET", std::string("/api/runs/") + name), 404, "not_found", "run_id");
  }
}

// R5: pages are newest first, without gaps or repetitions, and filters apply.
TEST_F(Runs, AreListedInPages) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(submit(R"({"command":["true"],"scope":"a/b"})"));
  ids.push_back(submit(R"({"command":["true"],"labels":{"k":"v"},"lane":"other"})"));
  finish(ids[0]);
  std::vector<std::string> seen;
  std::string cursor;
  do {
    const HttpAnswer page = ask("GET", "/api/runs?limit=4" + cursor);
    const auto body = page.json();
    for (const auto& run : body.at("runs").as_array()) {
      seen.emplace_back(run.at("run_id").as_string());
    }
    cursor = body.at("next_cursor").is_null()
                 ? ""
                 : "&cursor=" + std::string(body.at("next_cursor").as_string());
  } while (!cursor.empty());
  EXPECT_EQ(seen, std::vector<std::string>(ids.rbegin(), ids.rend()));
  const auto count = [&](const std::string& query) {
    return ask("GET", "/api/runs?" + query).json().at("runs").as_array().size();
  };
  EXPECT_EQ(count("scope=a"), 5U);
  EXPECT_EQ(count("label=k%3Dv"), 1U);
  EXPECT_EQ(count("label=k%3Dv&label=x%3Dy"), 0U);
  EXPECT_EQ(count("lane=other"), 1U);
  EXPECT_EQ(count("state=completed"), 1U);
  EXPECT_EQ(count("active=true"), 5U);
  EXPECT_EQ(count("since=1h"), count("limit=1000"));
  EXPECT_EQ(count("until=1h"), 0U);
  EXPECT_EQ(count("since=2099-01-01T00:00:00Z"), 0U);
  EXPECT_EQ(count("until=2099-01-01T00:00:00Z"), count("limit=1000"));
  for (const auto& [query, param] : {std::pair{"limit=0", "limit"},
                                     {"limit=1001", "limit"},
                                     {"limit=x", "limit"},
                                     {"cursor=x", "cursor"},
                                     {"cursor=-1", "cursor"},
                                     {"state=done", "state"},
                                     {"active=1", "active"},
                                     {"label=k", "label"},
                                     {"since=yesterday", "since"},
                                     {"until=5", "until"},
                                     {"scope=/", "scope"},
                                     {"kind=a&kind=b", "kind"}}) {
    expect_error(ask("GET", std::string("/api/runs?") + query), 400, "invalid_value", param);
  }
}

// R5: ?wait= delays the answer until the run has finished, and the answer has its result.
TEST_F(Runs, AreWaitedFor) {
  const std::string id = submit();
  Client waiting = client();
  waiting.ask("GET", "/api/runs/" + id + "?wait=60s");
  start(id);  // Does not end the wait.
  EXPECT_EQ(ask("GET", "/api/runs/" + id).json().at("state"), "running");
  finish(id, 3);
  const auto record = waiting.answer().json();
  EXPECT_EQ(record.at("state"), "failed");
  EXPECT_EQ(record.at("exit_code"), 3);
  // A finished run is answered at once.
  EXPECT_EQ(ask("GET", "/api/runs/" + id + "?wait=60s").json().at("state"), "failed");
}

// When the time is over, the answer is the current record. The error for an invalid duration names
// it.
TEST_F(Runs, AreAnsweredAsTheyAreWhenTheWaitIsOver) {
  const std::string id = submit();
  print(id, Stream::out, "hello");
  const auto record = ask("GET", "/api/runs/" + id + "?wait=1ms").json();
  EXPECT_EQ(record.at("state"), "starting");
  EXPECT_EQ(record.at("output_bytes"), 5);
  expect_error(ask("GET", "/api/runs/" + id + "?wait=soon"), 400,
               ask("GET", "/api/runs/" + id + "?wait=soon").error("code"), "wait");
}

// A client that hangs up while it waits frees its connection at once. A client that has pipelined
// its next request is still connected.
TEST_F(Runs, AreNotWaitedForByADisconnectedClient) {
  const std::string id = submit();
  Client vanishing = client();
  vanishing.ask("GET", "/api/runs/" + id + "?wait=300s");
  Client eager = client();
  eager.ask("GET", "/api/runs/" + id + "?wait=300s");
  eager.ask("GET", "/api/lanes");
  eventually([&] { return server_->connections() == 2; });
  vanishing.hang_up();
  eventually([&] { return server_->connections() == 1; });
  finish(id);
  EXPECT_EQ(eager.answer().json().at("state"), "completed");
  EXPECT_TRUE(eager.answer().json().as_object().contains("lanes"));
}

// The complete record has the times that the submission asked for, also if nobody reads the file.
TEST_F(Runs, AnswerWithTheTimesOfARun) {
  const auto record =
      ask("POST", "/api/runs?wait=1ms", R"({"command":["true"],"timeout":"10s","grace":"3s"})",
          "Content-Type: application/json\r\n")
          .json()
          .as_object();
  EXPECT_EQ(record.at("timeout_ms"), 10'000);
  EXPECT_EQ(record.at("grace_ms"), 3'000);
  EXPECT_FALSE(record.contains("idle_timeout_ms"));
}

// A request pipelined behind a submission with `ahead` is handled once the run has finished,
// completed or failed.
TEST_F(Runs, AllowPipelinedRequestsOnceFinished) {
  const std::string body = R"({"command":["true"]})";
  Client one = client();
  one.ask("POST", "/api/runs?wait=60s&ahead=true", body, "Idempotency-Key: first\r\n");
  one.ask("POST", "/api/runs", body);
  const auto only = [&] { return ask("GET", "/api/runs").json().at("runs").as_array(); };
  eventually([&] { return store_.last_seq().value_or(0) > 0; });
  ASSERT_EQ(only().size(), 1U);
  finish(std::string(only()[0].at("run_id").as_string()), 3);
  const HttpAnswer first = one.answer();
  EXPECT_EQ(first.json().at("state"), "failed");
  EXPECT_FALSE(first.headers.contains("connection"));
  EXPECT_EQ(one.answer().status, 202U);
  EXPECT_EQ(only().size(), 2U);
}

// If the wait is over first, the run is canceled, or the submission is refused, pipelined requests
// are dropped and the connection is closed.
TEST_F(Runs, DropPipelinedRequestsUnlessFinished) {
  const std::string body = R"({"command":["true"]})";
  const auto sent_behind = [&](std::string_view query, std::string_view first, auto meanwhile) {
    Client one = client();
    one.ask("POST", std::string("/api/runs?ahead=true&").append(query), first);
    one.ask("POST", "/api/runs", R"({"command":["never"]})");
    meanwhile();
    const HttpAnswer answer = one.answer();
    EXPECT_EQ(answer.headers.at("connection"), "close") << query << first;
    EXPECT_TRUE(one.closed());
    return answer;
  };
  EXPECT_EQ(sent_behind("wait=1ms", body, [] {}).json().at("state"), "starting");
  EXPECT_EQ(sent_behind("wait=soon", body, [] {}).error("param"), "wait");
  EXPECT_EQ(sent_behind("wait=60s", "{}", [] {}).error("param"), "command");
  EXPECT_EQ(sent_behind("soon=1", body, [] {}).error("param"), "soon");
  const std::int64_t before = on_loop([&] { return store_.last_seq().value_or(0); });
  const auto cancel_it = [&] {
    eventually([&] { return store_.last_seq().value_or(0) > before; });
    const auto runs = ask("GET", "/api/runs").json();
    const std::string id(runs.at("runs").as_array()[0].at("run_id").as_string());
    ask("POST", "/api/runs/" + id + "/cancel", "{}");
    finish(id);
  };
  EXPECT_EQ(sent_behind("wait=60s", body, cancel_it).json().at("state"), "canceled");
  const auto runs = ask("GET", "/api/runs").json();
  EXPECT_EQ(runs.at("runs").as_array().size(), 2U);
}

}  // namespace
}  // namespace drover::api
