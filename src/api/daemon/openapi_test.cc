// The description of the API is complete, and real answers match it.
#include "wire/openapi.h"

#include <sys/stat.h>

#include <boost/json/serialize.hpp>
#include <fstream>
#include <set>

#include "api/door_fixture.h"
#include "api/triggers/hook_fixture.h"
#include "play/phase.h"
#include "testing/schema.h"
#include "wire/core_areas.h"
#include "wire/inbox/operations.h"
#include "wire/play/operations.h"
#include "wire/triggers/operations.h"

namespace drover::api {
namespace {

namespace json = boost::json;

// S2: every operation is described with its path, method, parameters, body and answers; nothing
// else is.
TEST(Openapi, DescribesEveryOperation) {
  const json::object document = wire::openapi(all_areas());
  const json::object& paths = document.at("paths").as_object();
  size_t described = 0;
  for (const auto& path : paths) described += path.value().as_object().size();
  EXPECT_EQ(described, all_operations().size());
  for (const wire::Operation* each : all_operations()) {
    const wire::Operation& operation = *each;
    std::string method(operation.method);
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    const auto* path = paths.if_contains(operation.path);
    ASSERT_NE(path, nullptr) << operation.path;
    const auto* told = path->as_object().if_contains(method);
    ASSERT_NE(told, nullptr) << operation.name;
    EXPECT_EQ(told->at("summary"), text(operation.help));
    EXPECT_GE(told->at("responses").as_object().size(), 3U) << operation.name;
    EXPECT_EQ(told->as_object().contains("requestBody"), operation.body != wire::Body::none)
        << operation.name;
  }
}

// Every reference to a shape resolves, and every shape is used.
TEST(Openapi, HasNoDanglingReferences) {
  const json::object document = wire::openapi(all_areas());
  const json::object& schemas = document.at("components").at("schemas").as_object();
  const std::string text = json::serialize(document);
  std::set<std::string> used;
  const std::string mark = "#/components/schemas/";
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const size_t begin = at + mark.size();
    used.insert(text.substr(begin, text.find('"', begin) - begin));
  }
  for (const std::string& name : used) EXPECT_TRUE(schemas.contains(name)) << name;
  for (const auto& schema : schemas) {
    EXPECT_TRUE(used.contains(std::string(schema.key()))) << schema.key();
  }
}

class OpenapiAnswers : public Door {
 protected:
  // Sends the request and validates the answer against the description.
  HttpAnswer check(const wire::Operation& operation, const std::string& subject = "",
                   std::string_view body = {}, const std::string& query = "",
                   std::string_view headers = {}) {
    std::string path(operation.path);
    if (const size_t hole = path.find('{'); hole != std::string::npos) {
      path.replace(hole, path.find('}') - hole + 1, subject);
    }
    const HttpAnswer answer = ask(operation.method, path + query, body, headers);
    const auto type = answer.headers.find("content-type");
    const std::string media =
        type == answer.headers.end() ? "" : type->second.substr(0, type->second.find(';'));
    if (answer.status >= 400) {
      EXPECT_EQ(testing::misfit(answer.json(), schema("Error"), document_), std::nullopt);
      return answer;
    }
    for (const wire::Answer& told : operation.answers) {
      if (told.status != answer.status || told.media != media) continue;
      seen_.insert(&operation);
      if (media == "application/x-ndjson" && told.shape != "Bytes") check_lines(answer, told.shape);
      if (media != "application/json") return answer;
      EXPECT_EQ(testing::misfit(answer.json(), schema(told.shape), document_), std::nullopt)
          << operation.name << ": " << answer.body;
      return answer;
    }
    ADD_FAILURE() << operation.name << " answers " << answer.status << " " << media
                  << ", which is not described: " << answer.body;
    return answer;
  }

  // For a body with one JSON value per line.
  void check_lines(const HttpAnswer& answer, std::string_view shape) {
    const json::value line_schema = schema(shape).at("contentSchema");
    for (std::string_view rest = answer.body; !rest.empty(); ++lines_) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      EXPECT_EQ(testing::misfit(json::parse(line), line_schema, document_), std::nullopt) << line;
    }
  }

  // A project whose steps never finish during the test.
  void check_plays() {
    const std::string root = directory_.path() + "/game";
    ASSERT_EQ(::mkdir(root.c_str(), 0755), 0);
    std::ofstream(root + "/drover.toml")
        << "[project]\nid = \"game\"\n[play]\nbuild = [\"true\"]\n";
    check(wire::play::add, "", json::serialize(json::object{{"root", root}}));
    check(wire::play::add, "", R"({"root":"/nowhere"})");
    check(wire::play::session, "game");
    check(wire::play::log, "game");
    check(wire::play::stop, "game", "{}");
    const HttpAnswer played = check(wire::play::play, "game", R"({"env":{"A":"b"}})");
    const std::string play(played.json().at("session").at("run_id").as_string());
    check(wire::play::play, "game", "{}");
    check(wire::runs::why, play);
    check(wire::runs::signal, play, R"({"signal":"HUP"})");
    const std::string build = submit();
    on_loop([&] {
      EXPECT_TRUE(dispatcher_.record(run::Fact(
          play::advanced(*RunId::parse(play), play::Stage::build, *RunId::parse(build)))));
    });
    print(build, Stream::out, "hello\n\xff\n");
    check(wire::play::stop, "game", "{}");
    check(wire::play::stop, "game", R"({"run_id":"run_00000000000000000000000000"})");
    check(wire::play::list);
    check(wire::play::get, "game");
    check(wire::play::session, "game", "", "?wait=1ms");
    check(wire::play::feed, "game");
    const HttpAnswer log = check(wire::play::log, "game");
    EXPECT_EQ(lines_, 2U) << log.body;
    for (const auto& header : document_.at("paths")
                                  .at("/api/projects/{project}/log")
                                  .at("get")
                                  .at("responses")
                                  .at("200")
                                  .at("headers")
                                  .as_object()) {
      std::string name(header.key());
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
      EXPECT_TRUE(log.headers.contains(name)) << name;
    }
    check(wire::play::remove, "game");  // Refused: it is being played.
    std::ofstream(root + "/drover.toml") << "[project]\nid = \"other\"\n";
    check(wire::play::add, "", json::serialize(json::object{{"root", root}}));  // Refused too.
    const std::string second = directory_.path() + "/second";
    ASSERT_EQ(::mkdir(second.c_str(), 0755), 0);
    std::ofstream(second + "/drover.toml") << "[project]\nid = \"second\"\n";
    check(wire::play::add, "", json::serialize(json::object{{"root", second}}));
    check(wire::play::remove, "second");
  }

  // Questions and reports of a run.
  void check_inbox(const std::string& run) {
    const auto ask = [&](std::string_view body) {
      return std::string(check(wire::inbox::ask, run, body).json().at("id").as_string());
    };
    const std::string question =
        ask(R"({"question":"q?","choices":["a","b"],"context":"c","timeout":"1h","data":[1]})");
    check(wire::inbox::get, question, "", "?wait=1ms");
    check(wire::inbox::list);
    check(wire::inbox::answer, question, R"({"choice":"a","text":"t"})");
    check(wire::inbox::answer, question, R"({"choice":"b"})");  // Refused.
    check(wire::inbox::get, question);
    check(wire::inbox::dismiss, ask(R"({"question":"q?","timeout":"never"})"), "{}");
    check(wire::inbox::withdraw, ask(R"({"question":"q?"})"), "{}");
    check(wire::inbox::report, run, R"({"type":"output","summary":"s","data":[1]})");
    check(wire::inbox::report, run, R"({"type":"escalation","summary":"s"})");
    check(wire::inbox::list, "", "", "?all=true&limit=2");
    check(wire::memory::get, "app%2Ftidy");
    check(wire::memory::put, "app%2Ftidy", R"({"text":"# one"})");
    check(wire::memory::put, "app%2Ftidy", R"({"text":"# two","revision":"another"})");  // Refused.
    check(wire::memory::put, "app%2Ftidy", R"({"text":"# two"})");
    check(wire::memory::list);
    check(wire::memory::log, "app%2Ftidy");
  }

  void check_triggers() {
    using namespace wire::triggers;
    const std::string body =
        R"({"name":"nightly","source":{"type":"cron","cron":"0 3 * * *","tz":"UTC"},"missed":"all",
            "jitter":"5m","run":{"command":["true"],"env":{"A_TOKEN":"b"},
            "retry":{"max":2,"backoff":"1s"},"limits":{"memory":"1G"},"labels":{"a":"b"}}})";
    const HttpAnswer added = check(add, "", body);
    EXPECT_EQ(added.status, 200U) << added.body;
    check(add, "", body);  // Refused: the name is taken.
    check(add, "", R"({"name":"on","source":{"type":"event","on":"site.*"},"dedup":"1m",
            "filters":["payload.size lt 10"],"run":{"shell":"true"}})");
    check(add, "", R"({"name":"files","source":{"type":"file","root":"/nowhere","globs":["*.c"]},
            "run":{"command":["true"]}})");
    check(edit, "nightly", R"({"overlap":"queue","jitter":null})");
    check(edit, "nightly", R"({"overlap":"never"})");  // Refused.
    check(get, "nightly");
    check(get, "on");
    check(next, "nightly", "", "?count=3");
    check(test, "nightly", "{}");
    check(test, "on", R"({"type":"site.built","payload":{"size":5}})");
    check(test, "on", R"({"type":"site.built","payload":{"size":50}})");
    check(test, "files", "{}");
    check(pause, "nightly", "");
    check(resume, "nightly", "");
    check(fire, "nightly", R"({"payload":{"a":[1]}})");
    check(fire, "on", "{}");
    check(history, "nightly");
    check(why, "nightly");
    check(why, "nightly", "", "?at=2026-11-18T03:00:00Z");
    check(why, "on");
    check(emit, "", R"({"type":"site.built","payload":{"size":5},"dedup_key":"k"})");
    check(emit, "", R"({"type":"Site"})");  // Refused.
    check(add, "", hook_with_secret_in(directory_.file("hush"), "push", "site/push"));
    check(get, "push");
    check(hook, "site/push", R"({"a":1})", "", signature_of(R"({"a":1})"));
    check(hook, "site/push", R"({"a":1})", "", signature_of(R"({"a":1})"));  // A repetition.
    check(hook, "site/push", R"({"a":1})", "", signature_of("{}"));          // Refused.
    check(list);
    check(list, "", "", "?limit=1");
    check(history, "push", "", "?limit=1");
    check(remove, "files");
    check(remove, "files");  // Refused.
    check(list);
  }

  json::value schema(std::string_view name) {
    return document_.at("components").at("schemas").at(name);
  }

  const json::object document_ = wire::openapi(all_areas());
  std::set<const wire::Operation*> seen_;
  size_t lines_ = 0;
};

// S2: a real answer of every operation matches its description, field by field, and so do errors.
TEST_F(OpenapiAnswers, MatchesRealAnswers) {
  const std::string body = R"({"command":["true"],"labels":{"a":"b"},"name":"n",
      "retry":{"max":2,"backoff":"1s"},"limits":{"memory":"1G","output":"1M"}})";
  const HttpAnswer first = check(wire::runs::create, "", body);
  const std::string id(first.json().at("run_id").as_string());
  check(wire::runs::create, "", body, "?wait=1ms");
  check(wire::runs::get, id);
  check(wire::runs::get, id, "", "?live=true");
  check(wire::runs::why, id);
  start(id);
  print(id, Stream::out, "hello\n");
  check(wire::runs::logs, id);
  check(wire::runs::logs, id, "", "?format=ndjson");
  check(wire::runs::logs, id, "", "", "Range: bytes=0-1\r\n");
  check(wire::runs::input, id, "x", "", "Content-Type: text/plain\r\n");
  check(wire::runs::signal, id, R"({"signal":"TERM"})");
  check(wire::runs::resize, id, R"({"rows":24,"cols":80})");
  check(wire::runs::progress, id, R"({"percent":40,"text":"linking"})");
  check(wire::runs::get, id);
  check(wire::runs::screen, id);
  check(wire::runs::events, id);
  check(wire::events::list);
  check(wire::handles::status, id);
  check(wire::handles::timeline, id);
  check(wire::handles::cancel, id);
  check(wire::runs::cancel, id);
  finish(id);
  check(wire::runs::cancel, id);
  check(wire::runs::get, id);
  check(wire::runs::why, id);
  check(wire::handles::status, id);
  check(wire::runs::retry, id);
  check(wire::runs::remove, id);
  check(wire::lanes::set, "slow", R"({"limit":1,"paused":true})");
  check(wire::runs::create, "", R"({"command":["true"],"lane":"slow"})");
  const HttpAnswer waits = check(wire::runs::create, "", R"({"command":["true"],"lane":"slow"})");
  const std::string other(waits.json().at("run_id").as_string());
  check(wire::runs::why, other);
  check(wire::runs::move, other, R"({"priority":3})");
  check(wire::runs::list);
  check(wire::runs::cancel_scope, "", R"({"scope":"default"})");
  check(wire::lanes::list);
  check(wire::lanes::set, "idle", R"({"limit":1})");
  check(wire::lanes::remove, "idle");
  check_plays();
  check_inbox(other);
  check_triggers();
  begin_follower();
  check(wire::daemon::status);
  check(wire::followers::list);
  check(wire::followers::resume, "stopping");
  wait_for_stopped_follower();
  check(wire::followers::skip, "stopping");
  check(wire::followers::list);
  check(wire::health::live);
  check(wire::health::ready);
  check(wire::health::metrics);
  check(wire::health::openapi);
  const HttpAnswer token =
      check(wire::access::create_token, "", R"({"can":["read"],"ttl":"1h","label":"l"})");
  check(wire::access::list_tokens);
  check(wire::access::revoke_token, std::string(token.json().at("token_id").as_string()));
  check(wire::access::list_tokens);
  check(wire::access::open_ui);
  check(wire::access::log_out);
  check(wire::access::front);
  check(wire::runs::get, "nothing");
  check(wire::runs::create, "", "{");
  check(wire::daemon::probe);
  check(wire::daemon::stop);
  for (const wire::Operation* each : all_operations()) {
    const wire::Operation& operation = *each;
    // A screen needs a run's own file, which these runs do not have; tests/ecosystem covers it.
    if (&operation == &wire::runs::screen) continue;
    // For browsers, over TCP: tests/cli/tcp_test covers it.
    if (&operation == &wire::access::log_in) continue;
    EXPECT_TRUE(seen_.contains(&operation)) << operation.name << " was not seen to answer";
  }
}

}  // namespace
}  // namespace drover::api
