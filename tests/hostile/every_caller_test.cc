// Every operation with every kind of caller that may not use it, over TCP: without a token, with an
// expired or invalid one, with another scope's, without the right, from another site. Made from the
// list of operations, so that new ones are tested automatically.
#include <sys/stat.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <string>

#include "tests/every_operation.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

using namespace std::string_literals;
using tests::text_of;
using wire::Operation;
using wire::Permission;

std::string bearer(const std::string& token) {
  return "Authorization: Bearer " + token + "\r\n";
}

class EveryCaller : public AttackedFlock {
 protected:
  // A home in which every operation could change something: an active run that asks a question, a
  // finished one, an empty lane, a token, a project.
  void SetUp() override {
    flock_.environment["DROVER_LISTEN"] = "127.0.0.1:0";
    const std::string url = text_of(flock_.json({"status"}), "url");
    port_ = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
    owner_ = *read_file(flock_.home().owner_token(), 1000);
    owner_.pop_back();
    flock_.ok({"lane", "set", "spare", "1"});
    ended_ = flock_.run("exit 0", {"--scope", "app"});
    flock_.ended(ended_);
    living_ = flock_.run("sleep 1000", {"--scope", "app"});
    flock_.wait_for_state(living_, "running");
    entry_ = connect()
                 .ask("POST", "/api/runs/" + living_ + "/questions", R"({"question":"game?"})")
                 .text("id");
    victim_ = id_of_token(token("read", "app"));
    ASSERT_EQ(::mkdir(flock_.file("game").c_str(), 0755), 0);
    std::ofstream(flock_.file("game") + "/drover.toml") << "[project]\nid = \"game\"\n";
    const auto added = connect().ask("POST", "/api/projects", project_body());
    ASSERT_EQ(added.status, 200);
    ASSERT_EQ(connect().ask("POST", "/api/triggers", trigger_body("nightly")).status, 200);
  }

  std::string token(const std::string& can, const std::string& scope = "",
                    const std::string& ttl = "1h") {
    std::vector<std::string> words{"token", "create", "--can", can, "--ttl", ttl};
    if (!scope.empty()) words.insert(words.end(), {"--scope", scope});
    return flock_.ok(words);
  }
  static std::string id_of_token(const std::string& token) { return token.substr(4, 16); }
  // The token of an active run.
  std::string token_of_run(std::string& id) {
    id = flock_.run("printf %s \"$DROVER_TOKEN\" > " + flock_.file("part") + "; mv " +
                    flock_.file("part") + " " + flock_.file("token") + "; sleep 1000");
    flock_.wait_for_file("token");
    return *read_file(flock_.file("token"), 1000);
  }

  static std::string trigger_body(const std::string& name) {
    return R"({"name":")" + name +
           R"(","source":{"type":"every","every":"1d"},"run":{"command":["true"]}})";
  }
  std::string project_body() const { return "{\"root\":\"" + flock_.file("game") + "\"}"; }

  // A request that would succeed for the owner.
  std::string request(const Operation& operation, const std::string& headers,
                      const std::string& query = "", const std::string& host = "127.0.0.1") const {
    std::string path(operation.path);
    if (const size_t begin = path.find('{'); begin != std::string::npos) {
      const std::string hole = path.substr(begin, path.find('}') + 1 - begin);
      const bool wants_ended =
          &operation == &wire::runs::remove || &operation == &wire::runs::retry;
      path.replace(begin, hole.size(),
                   hole == "{lane}"      ? "spare"
                   : hole == "{token}"   ? victim_
                   : hole == "{project}" ? "game"
                   : hole == "{entry}"   ? entry_
                   : hole == "{memory}"  ? "app%2Ftidy"
                   : hole == "{trigger}" ? "nightly"
                   : hole == "{hook}"    ? "github/site"
                   : wants_ended         ? ended_
                                         : living_);
    }
    std::string out = std::string(operation.method) + " " + path + query +
                      " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + headers;
    const std::string body = body_of(operation);
    if (!body.empty()) {
      out += operation.body == wire::Body::bytes ? "Content-Type: application/octet-stream\r\n"
                                                 : "Content-Type: application/json\r\n";
      out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    }
    return out + "\r\n" + body;
  }
  std::string body_of(const Operation& operation) const {
    if (&operation == &wire::runs::create) return R"({"command":["true"],"scope":"app"})";
    if (&operation == &wire::runs::signal) return R"({"signal":"TERM"})";
    if (&operation == &wire::runs::resize) return R"({"rows":24,"cols":80})";
    if (&operation == &wire::runs::progress) return R"({"percent":1})";
    if (&operation == &wire::runs::move) return R"({"priority":-1})";
    if (&operation == &wire::runs::input) return "typed";
    if (&operation == &wire::runs::cancel_scope) return R"({"scope":"app"})";
    if (&operation == &wire::lanes::set) return R"({"limit":7})";
    if (&operation == &wire::play::add) return project_body();
    if (&operation == &wire::inbox::ask) return R"({"question":"q?"})";
    if (&operation == &wire::inbox::report) return R"({"type":"output","summary":"s"})";
    if (&operation == &wire::memory::put) return R"({"text":"t"})";
    if (&operation == &wire::inbox::answer) return R"({"text":"t"})";
    if (&operation == &wire::triggers::add) return trigger_body("weekly");
    if (&operation == &wire::triggers::edit) return R"({"overlap":"queue"})";
    if (&operation == &wire::triggers::emit) return R"({"type":"site.built"})";
    if (&operation == &wire::triggers::hook) return R"({"pushed":true})";
    if (&operation == &wire::daemon::stop) return R"({"kill":true})";
    return operation.body == wire::Body::json ? "{}" : "";
  }

  race::HttpAnswer ask_tcp(const std::string& bytes) const {
    race::Client client(port_);
    client.send(bytes);
    return client.take();
  }
  void expect(const Operation& operation, const std::string& who, const std::string& bytes,
              int status, const std::string& code) const {
    const Refusal refusal = refusal_in(ask_tcp(bytes));
    EXPECT_EQ(refusal.status, status) << operation.name << ", " << who;
    EXPECT_EQ(refusal.code, code) << operation.name << ", " << who;
  }

  // Everything that an operation could have changed, as the owner sees it on the unix socket.
  std::string world() const {
    std::string all;
    for (const char* path : {"/api/events?limit=1000", "/api/lanes", "/api/tokens", "/api/projects",
                             "/api/projects/game/session", "/api/inbox?all=true", "/api/memory",
                             "/api/triggers", "/api/triggers/nightly/history"}) {
      all += boost::json::serialize(connect().ask("GET", path).body) + "\n";
    }
    for (const std::string& id : {living_, ended_}) {
      all += connect().ask("GET", "/api/runs/" + id).text("state");
    }
    return all;
  }

  std::uint16_t port_ = 0;
  std::string owner_, living_, ended_;
  std::string victim_;  // The id of a token.
  std::string entry_;   // The id of a question.
};

// R15: a caller without a valid token gets the same 401, whatever is wrong with it. Public
// operations are answered anyway.
TEST_F(EveryCaller, WithoutAValidTokenGets401) {
  const std::string revoked = token("read,run,cancel");
  flock_.ok({"token", "revoke", id_of_token(revoked)});
  const std::string expired = token("read,run,cancel", "", "1ms");
  while (ask_tcp("GET /api/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                 bearer(expired) + "\r\n")
             .status == 200) {
  }
  std::string id;
  const std::string dead = token_of_run(id);
  flock_.ok({"cancel", id});
  flock_.ended(id);
  std::string forged = token("read,run,cancel");
  forged.back() = forged.back() == '0' ? '1' : '0';
  const std::string cookie = "Cookie: drover_session_" + std::to_string(port_) + "=";
  struct Who {
    std::string name, headers, query = "";
  };
  const std::vector<Who> callers{
      {"nobody", ""},
      {"an expired token", bearer(expired)},
      {"a revoked token", bearer(revoked)},
      {"a dead run's token", bearer(dead)},
      {"a forged token", bearer(forged)},
      {"an id in place of a token", bearer(id_of_token(forged))},
      {"an empty token", bearer("")},
      {"no token after the scheme", "Authorization: Bearer\r\n"},
      {"an empty header", "Authorization:\r\n"},
      {"a huge token", bearer(std::string(7'000, 'a'))},
      {"a huge token that begins well", bearer(owner_ + std::string(7'000, '0'))},
      {"half of the owner's", bearer(owner_.substr(0, owner_.size() / 2))},
      {"another scheme", "Authorization: Basic " + owner_ + "\r\n"},
      {"no scheme", "Authorization: " + owner_ + "\r\n"},
      {"two words", bearer(owner_ + " " + owner_)},
      {"bytes that are no text", bearer("\xff\xfe\x80")},
      {"the owner's token as a cookie", cookie + owner_ + "\r\n"},
      {"a cookie of nothing", cookie + "\r\n"},
      {"a token in the address", "", "?token=" + owner_},
      {"a token in the address, as OAuth has it", "", "?access_token=" + owner_},
  };
  begin();
  const std::string before = world();
  for (const Operation* each : tests::every_operation()) {
    const Operation& operation = *each;
    for (const Who& who : callers) {
      const std::string bytes = request(operation, who.headers, who.query);
      if (operation.can != Permission::anyone) {
        expect(operation, who.name, bytes, 401, "unauthorized");
      } else if (&operation == &wire::triggers::hook) {
        // The signature decides; there is no such webhook.
        EXPECT_EQ(ask_tcp(bytes).status, 404) << operation.name << ", " << who.name;
      } else if (who.query.empty() && &operation != &wire::access::log_in) {
        EXPECT_EQ(ask_tcp(bytes).status, 200) << operation.name << ", " << who.name;
      }
    }
    expect(operation, "two tokens", request(operation, bearer(owner_) + bearer(forged)), 400,
           "malformed_request");
    expect(operation, "a NUL", request(operation, "Authorization: Bearer a\0b\r\n"s), 400,
           "malformed_request");
    expect(operation, "a header beyond all measure",
           request(operation, bearer(std::string(200'000, 'a'))), 431, "header_too_large");
  }
  EXPECT_EQ(world(), before);
  expect_untouched();
}

// R15: a token without the right for an operation gets 403, whatever the subject.
TEST_F(EveryCaller, WithoutTheRightGets403) {
  struct Who {
    Permission right;
    std::string scope, token;
  };
  std::vector<Who> callers;
  for (const std::string scope : {"", "app"}) {
    callers.push_back({Permission::read, scope, token("read", scope)});
    callers.push_back({Permission::run, scope, token("run", scope)});
    callers.push_back({Permission::cancel, scope, token("cancel", scope)});
  }
  begin();
  const std::string before = world();
  for (const Operation* each : tests::every_operation()) {
    const Operation& operation = *each;
    for (const Who& who : callers) {
      const bool all = who.right == Permission::read && who.scope.empty();
      if (operation.can == Permission::anyone || operation.can == who.right) continue;
      if (operation.can == Permission::read_all && all) continue;
      expect(operation, "a token of scope \"" + who.scope + "\"",
             request(operation, bearer(who.token)), 403, "forbidden");
    }
  }
  EXPECT_EQ(world(), before);
  expect_untouched();
}

// H5, R15: a token with every right in another scope, and a run of another scope, find nothing
// here: no run by its id, and none in lists.
TEST_F(EveryCaller, OfAnotherScopeFindsNothing) {
  std::string id;
  const std::string of_run = token_of_run(id);
  const std::string all = "read,run,cancel";
  const std::vector<std::string> callers{token(all, "other"), token(all, "app/below"),
                                         token(all, "ap"), of_run};
  begin();
  const std::string before = world();
  for (const Operation* each : tests::every_operation()) {
    const Operation& operation = *each;
    for (const std::string& who : callers) {
      if (operation.can == Permission::anyone) continue;
      // A run may start runs below itself; another test covers that.
      if (&operation == &wire::runs::create && who == of_run) continue;
      // An event that it posts has its own scope.
      if (&operation == &wire::triggers::emit) continue;
      const std::string bytes = request(operation, bearer(who));
      const bool is_own = operation.can == Permission::own;
      const bool names_one = operation.path.find("{id}") != std::string_view::npos ||
                             operation.path.find("{project}") != std::string_view::npos ||
                             operation.path.find("{entry}") != std::string_view::npos ||
                             operation.path.find("{memory}") != std::string_view::npos ||
                             operation.path.find("{trigger}") != std::string_view::npos;
      if (names_one && !is_own) {
        expect(operation, who, bytes, 404, "not_found");
        continue;
      }
      const bool is_large =
          operation.can == Permission::own || operation.can == Permission::read_all;
      const race::HttpAnswer answer = ask_tcp(bytes);
      const Refusal refusal = refusal_in(answer);
      if (is_large || &operation == &wire::runs::create) {
        EXPECT_EQ(refusal.code, "forbidden") << operation.name << ", " << who;
      }
      if (!refusal.code.empty()) continue;
      const std::string told = boost::json::serialize(answer.body);
      EXPECT_EQ(told.find(living_), std::string::npos) << operation.name << told;
      EXPECT_EQ(told.find(ended_), std::string::npos) << operation.name << told;
      EXPECT_EQ(told.find("game"), std::string::npos) << operation.name << told;
    }
  }
  EXPECT_EQ(world(), before);
  expect_untouched();
}

// With a foreign host name, or from a page of another site, even the owner and even public
// operations are refused.
TEST_F(EveryCaller, FromAnotherSiteIsRefused) {
  begin();
  const std::string before = world();
  for (const Operation* each : tests::every_operation()) {
    const Operation& operation = *each;
    expect(operation, "another name", request(operation, bearer(owner_), "", "evil.example"), 403,
           "foreign_host");
    expect(operation, "another page",
           request(operation, bearer(owner_) + "Origin: http://evil.example\r\n"), 403,
           "foreign_origin");
    expect(operation, "two names", request(operation, bearer(owner_) + "Host: evil.example\r\n"),
           400, "malformed_request");
  }
  EXPECT_EQ(world(), before);
  expect_untouched();
}

}  // namespace
}  // namespace drover::hostile
