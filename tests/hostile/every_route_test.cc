// Every operation with every kind of invalid request. Made from the list of operations, so that new
// ones are tested automatically.
#include <set>
#include <string>

#include "tests/every_operation.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

using namespace std::string_literals;
using wire::Body;
using wire::Operation;

constexpr std::string_view kStranger = "run_01jc8x0000000000000000000a";  // The id of no run.

class EveryRoute : public AttackedFlock {
 protected:
  // The operation's path with `subject` in place of its {…}.
  static std::string path_of(const Operation& operation, std::string_view subject) {
    std::string path(operation.path);
    const size_t begin = path.find('{');
    if (begin != std::string::npos) path.replace(begin, path.find('}') + 1 - begin, subject);
    return path;
  }
  static bool names(const Operation& operation, std::string_view what) {
    return operation.path.find(what) != std::string_view::npos;
  }
  // A valid body, so that only the id can be wrong.
  static std::string body_of(const Operation& operation) {
    if (&operation == &wire::runs::signal) return R"({"signal":"TERM"})";
    if (&operation == &wire::runs::resize) return R"({"rows":24,"cols":80})";
    if (&operation == &wire::runs::progress) return R"({"percent":1})";
    if (&operation == &wire::runs::move) return R"({"priority":1})";
    if (&operation == &wire::inbox::ask) return R"({"question":"q?"})";
    if (&operation == &wire::inbox::report) return R"({"type":"output","summary":"s"})";
    if (&operation == &wire::memory::put) return R"({"text":"t"})";
    if (&operation == &wire::inbox::answer) return R"({"text":"t"})";
    if (&operation == &wire::triggers::edit) return R"({"overlap":"queue"})";
    if (&operation == &wire::triggers::hook) return "anything";
    return operation.body == Body::json ? "{}" : "";
  }
  static std::string type_of(const Operation& operation) {
    return operation.body == Body::bytes ? "Content-Type: application/octet-stream\r\n"
                                         : "Content-Type: application/json\r\n";
  }
  // If an invalid `stop` were accepted, the daemon would exit, and expect_untouched() would fail.
  void expect_refused(const Operation& operation, const Refusal& refusal, const std::string& what,
                      const std::set<int>& statuses) {
    const std::string about = std::string(operation.name) + ": " + what;
    EXPECT_TRUE(statuses.contains(refusal.status)) << about << " is " << refusal.status;
    EXPECT_NE(refusal.code, "") << about;
    EXPECT_NE(refusal.message, "") << about;
    EXPECT_NE(refusal.code, "internal_error") << about;
  }
};

// The list has every operation that the daemon serves, with all its rooms, and no other: what is
// not in the list, none of these tests would attack.
TEST_F(EveryRoute, IsInTheList) {
  begin();
  std::set<std::string> served;
  const auto document = connect().ask("GET", "/openapi.json").body;
  for (const auto& [path, methods] : document.at("paths").as_object()) {
    for (const auto& entry : methods.as_object()) {
      std::string method(entry.key());
      for (char& c : method) c = static_cast<char>(std::toupper(c));
      if (entry.value().is_object()) served.insert(method + " " + std::string(path));
    }
  }
  std::set<std::string> listed;
  for (const Operation* operation : tests::every_operation()) {
    listed.insert(std::string(operation->method) + " " + std::string(operation->path));
  }
  EXPECT_EQ(served, listed);
}

// H5: an unknown id is not found, whatever it looks like.
TEST_F(EveryRoute, OfAnUnknownRunIsNotFound) {
  begin();
  for (const Operation* each : tests::every_operation()) {
    const Operation& operation = *each;
    if (!names(operation, "{id}") && !names(operation, "{project}") &&
        !names(operation, "{entry}") && !names(operation, "{memory}") &&
        !names(operation, "{trigger}") && !names(operation, "{hook}")) {
      continue;
    }
    const std::string body = body_of(operation);
    for (const std::string& id : {std::string(kStranger), "run_"s, "x"s, "%00"s, "%ff%fe"s,
                                  "run_01jc8x%2F..%2F.."s, "@nobody"s, std::string(4000, 'a'),
                                  "%F0%9F%90%91"s, "..%2F..%2Fetc%2Fpasswd"s, "0"s, "-1"s}) {
      const auto refusal = ask(operation.method, path_of(operation, id), body,
                               body.empty() ? "" : type_of(operation));
      expect_refused(operation, refusal, "id " + id.substr(0, 40), {404});
      EXPECT_TRUE(refusal.code == "not_found" || refusal.code == "run_not_found") << refusal.code;
    }
  }
  expect_untouched();
}

// A method that a path does not have, and a parameter that an operation does not have.
TEST_F(EveryRoute, WithAWrongMethodOrParameterIsRefused) {
  begin();
  for (const Operation* each : tests::every_operation()) {
    const Operation& operation = *each;
    const std::string path = path_of(operation, kStranger);
    for (const char* method : {"PATCH", "TRACE", "BREW", "get"}) {
      expect_refused(operation, ask(method, path), method, {400, 405});
    }
    for (const char* query : {"?nonsense=1", "?%00=1", "?=", "?a=%zz", "?a=%ff"}) {
      if (operation.body != Body::none) continue;  // With a body, the body may be refused first.
      expect_refused(operation, ask(operation.method, path + query), query, {400, 404});
    }
    for (const wire::Parameter& parameter : operation.query) {
      if (operation.method != "GET") continue;
      for (const char* value :
           {"%ff", "%00", "-1", "1e9", "99999999999999999999", "%27%20OR%201"}) {
        const auto refusal = ask("GET", path + "?" + std::string(parameter.name) + "=" + value);
        const bool is_free = parameter.name == "kind" || parameter.name == "lane" ||
                             parameter.name == "scope" || parameter.name == "chain" ||
                             parameter.name == "label" || parameter.name == "app" ||
                             (&operation == &wire::triggers::list && parameter.name == "after");
        EXPECT_NE(refusal.code, "internal_error") << operation.name << " " << parameter.name;
        if (is_free) continue;  // An unused name is allowed.
        expect_refused(operation, refusal, std::string(parameter.name) + "=" + value, {400, 404});
      }
    }
  }
  expect_untouched();
}

// A body that is not JSON, not an object, or has fields that are unknown or of another type.
TEST_F(EveryRoute, WithAnInvalidBodyIsRefused) {
  begin();
  const std::string deep = std::string(5'000, '[') + std::string(5'000, ']');
  const std::string huge = "{\"scope\":\"" + std::string(300'000, 'x') + "\"}";
  for (const Operation* each : tests::every_operation()) {
    const Operation& operation = *each;
    if (operation.body != Body::json) continue;
    const std::string path = path_of(operation, names(operation, "{lane}") ? "spare" : kStranger);
    for (
        const std::string& body :
        {"{"s, "nonsense"s, "{}{}"s, "[]"s, "\"text\""s, "17"s, "null"s, "\xff\xfe"s,
         "{\"a\0b\":1}"s, "{\"\xc3\x28\":1}"s, "{\"nobody_knows_this\":1}"s,
         "{\"command\":{\"a\":[1]},\"grace\":[],\"signal\":{},\"limit\":\"x\",\"lane\":[],\"kill\":7}"s,
         deep, huge}) {
      const auto refusal = ask(operation.method, path, body, type_of(operation));
      expect_refused(operation, refusal, body.substr(0, 40), {400, 404, 413});
    }
    const auto form = ask(operation.method, path, "command=true&kill=true",
                          "Content-Type: application/x-www-form-urlencoded\r\n");
    expect_refused(operation, form, "a form", {415, 404});
    const auto plain = ask(operation.method, path, "{}", "Content-Type: text/plain\r\n");
    expect_refused(operation, plain, "text/plain", {415, 404});
  }
  expect_untouched();
}

// A request cut off anywhere has no effect; two pipelined requests are both answered.
TEST_F(EveryRoute, CutOffHasNoEffectAndPipelinedIsAnswered) {
  begin();
  for (const Operation* each : tests::every_operation()) {
    const Operation& operation = *each;
    const std::string body = operation.body == Body::none ? "" : "{\"grace\":\"0ms\"}";
    std::string whole = std::string(operation.method) + " " + path_of(operation, kStranger) +
                        " HTTP/1.1\r\nHost: d\r\n";
    if (!body.empty()) {
      whole += type_of(operation) + "Content-Length: " + std::to_string(body.size()) + "\r\n";
    }
    whole += "\r\n" + body;
    for (const size_t cut : {size_t{1}, whole.size() / 3, whole.size() / 2, whole.size() - 1}) {
      race::Client client = connect();
      client.send(whole.substr(0, cut));
      client.close();
    }
  }
  race::Client client = connect();
  std::string both = "GET /api/runs/" + std::string(kStranger) + " HTTP/1.1\r\nHost: d\r\n\r\n";
  client.send(both + both);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.take().status, 404);
  expect_untouched();
}

}  // namespace
}  // namespace drover::hostile
