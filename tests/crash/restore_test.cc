// An older copy of the database is put back while newer runs exist: finished, canceled, waiting and
// live ones. Every id still resolves, and the live ones can be stopped.
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>

#include "tests/harness.h"

namespace drover::tests {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

class Restore : public ::testing::Test {
 protected:
  // The daemon is stopped for it, so that the copy is one file.
  void back_up() {
    flock.ok({"stop"});
    fs::copy_file(flock.home().database(), copy(), fs::copy_options::overwrite_existing);
    flock.ok({"status"});
  }
  // Puts the copy back while no daemon runs, as a person would.
  void put_back() {
    for (const char* rest : {"", "-wal", "-shm"}) fs::remove(flock.home().database() + rest);
    fs::copy_file(copy(), flock.home().database());
  }
  void kill_and_put_back() {
    flock.kill_daemon();
    put_back();
    flock.daemon();
  }
  std::string copy() const { return flock.file("copy.db"); }

  std::string get(const std::string& target, const std::string& headers = "") {
    return flock.http("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + headers +
                      "\r\n");
  }
  json::object body_of(const std::string& answer) {
    const size_t begin = answer.find("\r\n\r\n");
    boost::system::error_code bad;
    const json::value value = json::parse(answer.substr(begin + 4), bad);
    EXPECT_FALSE(bad) << answer;
    return bad || !value.is_object() ? json::object() : value.get_object();
  }
  json::object handle(const std::string& id) { return body_of(get("/_ref/runs/" + id)); }
  std::string status(const std::string& id) { return text_of(handle(id), "status"); }
  // The events of one type, oldest first.
  std::vector<json::object> told(const std::string& type) {
    std::vector<json::object> out;
    const json::object page = body_of(get("/api/events?limit=1000"));
    for (const json::value& event : page.at("events").as_array()) {
      if (text_of(event.as_object(), "type") == type) out.push_back(event.as_object());
    }
    return out;
  }
  // A live run that writes a file when it has begun.
  std::string live(const std::string& name, const std::vector<std::string>& options = {}) {
    const std::string id =
        flock.run("echo begun; touch " + flock.file(name) + "; exec sleep 1000", options);
    flock.wait_for_file(name);
    return id;
  }

  Flock flock;
};

// H1, H4, H10: ids that were given out after the backup resolve, with their scope, trace and end;
// live ones are adopted, can be canceled, and are ended by `stop --kill`.
TEST_F(Restore, TakesUpWhatTheFilesKnow) {
  const std::string before = flock.run("exit 0");
  flock.ended(before);
  back_up();
  const std::string done = flock.run("echo out; exit 0", {"--name", "done", "--label", "a=b"});
  const std::string failed = flock.run("exit 3", {"--scope", "world/chat"});
  const std::string stopped = live("stopped");
  flock.ok({"cancel", stopped});
  for (const std::string& id : {done, failed, stopped}) flock.ended(id);
  const json::object known = handle(done);
  flock.ok({"lane", "set", "narrow", "1"});
  const std::string holder = live("holder", {"--lane", "narrow"});
  const std::string waiting = flock.run("exit 0", {"--lane", "narrow"});
  const std::string withdrawn = flock.run("touch " + flock.file("never"), {"--lane", "narrow"});
  flock.ok({"cancel", withdrawn});
  const std::string first = live("first", {"--scope", "world/chat"});
  const std::string second = live("second");

  kill_and_put_back();
  EXPECT_EQ(status(before), "completed");
  const json::object after = handle(done);
  for (const char* field : {"trace_id", "status", "acknowledged_at", "launched_at", "completed_at",
                            "terminal_reason", "source"}) {
    EXPECT_EQ(after.at(field), known.at(field)) << field;
  }
  EXPECT_EQ(flock.ok({"logs", done}), "out");
  EXPECT_EQ(text_of(flock.show(done), "name"), "done");
  EXPECT_EQ(flock.show(done).at("labels").as_object().at("a").as_string(), "b");
  EXPECT_EQ(status(failed), "failed");
  EXPECT_EQ(text_of(flock.show(failed), "scope"), "world/chat");
  EXPECT_EQ(flock.show(failed).at("exit_code").to_number<int>(), 3);
  EXPECT_EQ(status(stopped), "cancelled");
  EXPECT_EQ(status(withdrawn), "cancelled");
  EXPECT_EQ(text_of(flock.show(withdrawn), "reason"), "canceled_by_owner");
  for (const std::string& id : {holder, waiting, first, second}) EXPECT_EQ(status(id), "active");
  EXPECT_EQ(text_of(flock.show(waiting), "state"), "queued");
  EXPECT_EQ(text_of(flock.show(waiting), "lane"), "narrow");
  EXPECT_EQ(text_of(flock.show(first), "state"), "running");

  // The restore is reported: once in the log, and by `status`.
  ASSERT_EQ(told("store.restored").size(), 1U);
  ASSERT_EQ(told("store.taken_up").size(), 1U);
  EXPECT_EQ(told("store.taken_up")[0].at("data").at("runs").to_number<int>(), 8);
  EXPECT_EQ(told("run.taken_up").size(), 8U);
  EXPECT_NE(flock.ok({"status"}).find("8 runs were taken up"), std::string::npos);
  EXPECT_NE(flock.drover({"doctor"}).out.find("an older database was restored"), std::string::npos);

  flock.ok({"cancel", first});
  EXPECT_EQ(text_of(flock.ended(first), "state"), "canceled");
  flock.ok({"cancel", holder});
  EXPECT_EQ(text_of(flock.ended(waiting), "state"), "completed");
  flock.expect_verified();
  flock.ok({"stop", "--kill"});
  EXPECT_TRUE(flock.alive().empty());
  flock.daemon();
  EXPECT_EQ(status(second), "cancelled");
  EXPECT_FALSE(fs::exists(flock.file("never")));
  EXPECT_EQ(told("store.restored").size(), 1U) << "an ordinary start is no restore";
  flock.expect_verified();
}

// A database that was removed is an older one as well.
TEST_F(Restore, TakesUpEverythingIfTheDatabaseIsGone) {
  const std::string done = flock.run("exit 4");
  flock.ended(done);
  const std::string lives = live("lives");
  flock.kill_daemon();
  for (const char* rest : {"", "-wal", "-shm"}) fs::remove(flock.home().database() + rest);
  flock.daemon();
  EXPECT_EQ(status(done), "failed");
  EXPECT_EQ(text_of(flock.show(lives), "state"), "running");
  EXPECT_EQ(told("store.restored").size(), 1U);
  flock.ok({"cancel", lives});
  EXPECT_EQ(text_of(flock.ended(lives), "state"), "canceled");
  flock.expect_verified();
}

// Runs that the older database takes for active: one that has started and one that has ended since,
// one that was canceled in the queue, one that was deleted.
TEST_F(Restore, CorrectsWhatTheOlderDatabaseTakesForActive) {
  flock.ok({"lane", "set", "narrow", "1"});
  const std::string holder = live("holder", {"--lane", "narrow"});
  const auto queued = [&](const std::string& script) {
    return flock.run(script, {"--lane", "narrow"});
  };
  const std::string ends = queued("exit 7");
  const std::string begins = queued("touch " + flock.file("begun") + "; exec sleep 1000");
  const std::string unwanted = queued("touch " + flock.file("never"));
  const std::string deleted = live("deleted");
  back_up();
  flock.ok({"cancel", unwanted});
  flock.ok({"cancel", deleted});
  flock.ended(deleted);
  flock.ok({"rm", deleted});
  flock.ok({"cancel", holder});
  flock.ended(ends);
  flock.wait_for_file("begun");

  kill_and_put_back();
  EXPECT_EQ(status(holder), "cancelled");
  EXPECT_EQ(flock.show(ends).at("exit_code").to_number<int>(), 7);
  EXPECT_EQ(text_of(flock.show(begins), "state"), "running");
  EXPECT_EQ(status(unwanted), "cancelled");
  EXPECT_EQ(status(deleted), "abandoned");
  EXPECT_NE(text_of(flock.show(deleted), "message").find("the files of the run are gone"),
            std::string::npos)
      << text_of(flock.show(deleted), "message");
  flock.ok({"cancel", begins});
  EXPECT_EQ(text_of(flock.ended(begins), "state"), "canceled");
  EXPECT_FALSE(fs::exists(flock.file("never")));
  flock.expect_verified();
}

// A token of another scope sees nothing of what was taken up.
TEST_F(Restore, KeepsTheScopes) {
  const std::string token =
      flock.ok({"token", "create", "--can", "read", "--ttl", "1h", "--scope", "elsewhere"});
  back_up();
  const std::string id = flock.run("exit 0", {"--scope", "world/chat"});
  flock.ended(id);
  kill_and_put_back();
  EXPECT_EQ(status(id), "completed");
  const std::string key = "Authorization: Bearer " + token + "\r\n";
  EXPECT_NE(get("/api/runs/" + id, key).find("404"), std::string::npos);
  const json::object page = body_of(get("/api/events?limit=1000", key));
  EXPECT_TRUE(page.at("events").as_array().empty());
}

// An old cursor is answered with `lagged` and the cursor to continue from; nothing is skipped
// silently.
TEST_F(Restore, TellsAnOldCursorThatItLagged) {
  const std::string before = flock.run("exit 0");
  flock.ended(before);
  const std::string kept = text_of(body_of(get("/api/events?limit=1000")), "next");
  back_up();
  flock.ended(flock.run("exit 0"));
  const std::string lost = text_of(body_of(get("/api/events?limit=1000")), "next");
  kill_and_put_back();
  flock.ended(flock.run("exit 0"));

  const std::string stream = get("/api/events?follow=true", "Last-Event-ID: " + lost + "\r\n");
  EXPECT_NE(stream.find("event: lagged"), std::string::npos) << stream;
  const json::object page = body_of(get("/api/events?after=" + lost));
  ASSERT_TRUE(page.contains("lagged"));
  EXPECT_EQ(text_of(page.at("lagged").as_object(), "cursor"), kept);
  EXPECT_EQ(text_of(page.at("events").as_array().at(0).as_object(), "type"), "store.restored");
  EXPECT_FALSE(body_of(get("/api/events?after=" + kept)).contains("lagged"));
  EXPECT_FALSE(body_of(get("/api/events?after=1")).contains("lagged"));
  const std::string next = text_of(page, "next");
  EXPECT_FALSE(body_of(get("/api/events?after=" + next)).contains("lagged"));
}

// A play continues where it was; its steps do not run twice. A finished one stays finished.
TEST_F(Restore, TakesUpPlays) {
  const std::string root = flock.file("game");
  fs::create_directories(root + "/.drover");
  fs::create_directories(root + "/build");
  std::ofstream(root + "/drover.toml") << "[project]\nid = \"game\"\n[play]\n"
                                       << "build = \"echo x >> built\"\npack = \"true\"\n";
  std::ofstream(root + "/.drover/setup.json") << R"({"runtimePath":"game"})";
  std::ofstream(root + "/game") << "#!/bin/sh\necho x >> started; test -e quick && exit 0\n"
                                << until_file(root + "/end") << "\n";
  fs::permissions(root + "/game", fs::perms::owner_all);
  std::ofstream(root + "/quick") << "";
  flock.ok({"status"});
  const std::string body = R"({"root":")" + root + R"("})";
  flock.http(
      "POST /api/projects HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: "
      "application/json\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  back_up();
  const auto session = [&] { return body_of(get("/api/projects/game/session")); };
  const auto play = [&] {
    flock.ok({"play", "-d", "game"});
    return text_of(session(), "run_id");
  };
  const std::string done = play();
  flock.ended(done);
  const json::object known = flock.show(done);
  fs::remove(root + "/quick");
  const std::string active = play();
  for (;;) {
    if (text_of(session(), "state") == "running") break;
  }

  kill_and_put_back();
  EXPECT_EQ(status(done), "completed");
  EXPECT_EQ(flock.show(done).at("session"), known.at("session"));
  EXPECT_EQ(status(active), "active");
  std::ofstream(root + "/end") << "";
  EXPECT_EQ(text_of(flock.ended(active), "state"), "completed");
  EXPECT_EQ(fs::file_size(root + "/built"), 4U) << "each build ran once";
  EXPECT_EQ(fs::file_size(root + "/started"), 4U) << "each runtime ran once";
  flock.expect_verified();
}

}  // namespace
}  // namespace drover::tests
