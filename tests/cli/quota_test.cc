// Quotas: what a caller other than the owner can take from the others, and what it learns of them.
#include <sqlite3.h>

#include "base/limits.h"
#include "tests/cli/access_fixture.h"

namespace drover::tests {
namespace {

class Quotas : public Access {
 protected:
  Reply submit(const std::string& bearer, const std::string& fields = "") {
    return ask({.method = "POST",
                .target = "/api/runs",
                .token = bearer,
                .body = R"({"command":["sleep","1000"])" + fields + "}"});
  }
};

// R15: a token cannot fill the queue of all others; the owner still can, and so can another scope.
TEST_F(Quotas, LimitTheRunsOfAToken) {
  flock_.ok({"lane", "set", "default", "1"});
  flock_.ok({"lane", "pause", "default"});
  const std::string app = token("read,run,cancel", "app");
  const std::string other = token("run", "other");
  const Fd socket = flock_.connect();
  std::string all;
  for (std::int64_t i = 0; i < limits::kQuotaRunsMax; ++i) {
    all +=
        "POST /api/runs HTTP/1.1\r\nHost: d\r\nAuthorization: Bearer " + app +
        "\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"command\":[\"true\"]}";
    if (i % 100 != 99) continue;
    ASSERT_TRUE(write_all(socket.get(), all));
    all.clear();
    int answers = 0;
    std::string seen;
    while (answers < 100) {
      char chunk[16'384];
      const ssize_t n = ::recv(socket.get(), chunk, sizeof chunk, 0);
      ASSERT_GT(n, 0);
      seen.append(chunk, static_cast<size_t>(n));
      for (size_t at = 0; (at = seen.find("HTTP/1.1 ", at)) != std::string::npos;) {
        ASSERT_EQ(seen.substr(at, 12), "HTTP/1.1 202");
        ++answers;
        seen.erase(0, at + 12);
        at = 0;
      }
    }
  }
  const Reply over = submit(app);
  EXPECT_EQ(over.status, 429);
  EXPECT_EQ(over.error(), "quota_exceeded");
  EXPECT_EQ(submit(other).status, 202);
  EXPECT_EQ(submit("").status, 202);
  EXPECT_EQ(submit("", R"(,"scope":"app")").status, 202);
  flock_.ok({"cancel", "--scope", "app"});
  EXPECT_EQ(submit(app).status, 202);
  flock_.ok({"stop", "--kill"});
}

// R15, R16: a token creates few lanes, and puts no run before those of others.
TEST_F(Quotas, LimitLanesAndPriority) {
  flock_.ok({"lane", "pause", "default"});
  const std::string app = token("read,run", "app");
  EXPECT_EQ(submit(app, R"(,"priority":1)").error(), "quota_exceeded");
  EXPECT_EQ(submit(app, R"(,"priority":-1)").status, 202);
  EXPECT_EQ(submit("", R"(,"priority":1)").status, 202);
  const std::string id = text_of(submit(app).json(), "run_id");
  const auto move = [&](const std::string& to) {
    return ask({.method = "POST", .target = "/api/runs/" + id + "/move", .token = app, .body = to});
  };
  EXPECT_EQ(move(R"({"priority":1})").error(), "quota_exceeded");
  EXPECT_EQ(move(R"({"priority":-2})").status, 200);
  for (int i = 0; i < limits::kQuotaLanesMax; ++i) {
    EXPECT_EQ(move(R"({"lane":"default"})").status, 200);
    flock_.ok({"lane", "set", "held" + std::to_string(i), "1"});
    flock_.ok({"lane", "pause", "held" + std::to_string(i)});
    const Reply made = submit(app, R"(,"lane":"made)" + std::to_string(i) + "\"");
    EXPECT_EQ(made.status, 202) << made.body;
    flock_.ok({"cancel", text_of(made.json(), "run_id")});
  }
  EXPECT_EQ(submit(app, R"(,"lane":"another")").error(), "quota_exceeded");
  EXPECT_EQ(move(R"({"lane":"another"})").error(), "quota_exceeded");
  EXPECT_EQ(submit(app, R"(,"lane":"held0")").status, 202);
  EXPECT_EQ(move(R"({"lane":"held1"})").status, 200);
  flock_.expect_verified();
  flock_.ok({"stop", "--kill"});
}

// R15: a token whose runs have printed too much starts no more, until some are removed. Printing 16
// GiB takes long, so the record says it.
TEST_F(Quotas, LimitTheBytesOfAToken) {
  const std::string app = token("read,run", "team");
  const std::string id = flock_.run("echo printed", {"--scope", "team/reports"});
  EXPECT_EQ(flock_.ended(id).at("stdout_bytes").to_number<int>(), 8);
  EXPECT_EQ(submit(app).status, 202);
  flock_.ok({"stop", "--kill"});
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(flock_.home().database().c_str(), &database), SQLITE_OK);
  const std::string change =
      "UPDATE runs SET stdout_bytes = " + std::to_string(limits::kQuotaBytesMax) + " WHERE id = '" +
      id + "'";
  EXPECT_EQ(sqlite3_exec(database, change.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_changes(database), 1);
  sqlite3_close(database);
  flock_.daemon();
  const Reply over = submit(app);
  EXPECT_EQ(over.status, 429) << over.body;
  EXPECT_EQ(over.error(), "quota_exceeded");
  EXPECT_NE(over.body.find("\"bytes\""), std::string::npos) << over.body;
  EXPECT_EQ(submit("", R"(,"scope":"team")").status, 202) << "the owner has no quota";
  EXPECT_EQ(submit(token("run", "other")).status, 202);
  flock_.ok({"rm", id});
  EXPECT_EQ(submit(app).status, 202);
  flock_.ok({"stop", "--kill"});
}

// R14, R15: a token can hold a limited number of streams; a closed one makes room.
TEST_F(Quotas, LimitTheStreamsOfAToken) {
  const std::string app = token("read", "app");
  const std::string follow =
      "GET /api/events?follow=true HTTP/1.1\r\nHost: d\r\nAuthorization: Bearer " + app +
      "\r\n\r\n";
  const auto open = [&] {
    Fd socket = flock_.connect();
    EXPECT_TRUE(write_all(socket.get(), follow));
    std::string head(12, ' ');
    EXPECT_EQ(::recv(socket.get(), head.data(), head.size(), MSG_WAITALL), 12);
    return std::pair(std::move(socket), head.substr(9));
  };
  std::vector<Fd> streams;
  for (size_t i = 0; i < limits::kQuotaStreamsMax; ++i) {
    auto [socket, status] = open();
    EXPECT_EQ(status, "200");
    streams.push_back(std::move(socket));
  }
  EXPECT_EQ(open().second, "429");
  streams.pop_back();
  while (open().second != "200") {
  }
}

// R16: `why` tells a token what its run waits for, and nothing about the runs of others.
TEST_F(Quotas, WhyRevealsNothingOfOthers) {
  flock_.ok({"lane", "set", "build", "1"});
  const std::string holder = flock_.run("sleep 1000", {"--lane", "build", "--name", "secretive"});
  for (int i = 0; i < 3; ++i) flock_.run("true", {"--lane", "build"});
  const std::string app = token("read,run", "app");
  const std::string mine = text_of(submit(app, R"(,"lane":"build")").json(), "run_id");
  const Reply why = ask({.target = "/api/runs/" + mine + "/why", .token = app});
  EXPECT_EQ(why.status, 200);
  EXPECT_TRUE(why.json().at("ahead").is_null()) << why.body;
  EXPECT_NE(why.body.find("lane_full"), std::string::npos);
  for (const std::string& hidden :
       {holder, std::string("secretive"), std::string("used by"), std::string("3 runs")}) {
    EXPECT_EQ(why.body.find(hidden), std::string::npos) << why.body;
  }
  const Reply owner = ask({.target = "/api/runs/" + mine + "/why"});
  EXPECT_EQ(owner.json().at("ahead"), 3);
  EXPECT_NE(owner.body.find(holder), std::string::npos);
  flock_.ok({"stop", "--kill"});
}

}  // namespace
}  // namespace drover::tests
