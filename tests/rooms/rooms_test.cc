// A room adds kinds, tables, followers, operations and commands without an edit elsewhere: the toy
// room parcels works with the real programs.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <boost/json/parse.hpp>

#include "tests/harness.h"

namespace drover::tests {
namespace {

class ARoom : public ::testing::Test {
 protected:
  std::string send(const std::string& parcel) { return flock_.ok({"parcel", "send", parcel}); }
  // Sends the parcel, and asks until the follower has counted it.
  std::string send_and_count(const std::string& parcel) {
    const std::string id = send(parcel);
    flock_.ended(id);
    wait_for_follower();
    return id;
  }
  void wait_for_follower() {
    while (follower().at("lag").as_int64() != 0 && text_of(follower(), "reason").empty()) {
    }
  }
  // How many events of this type the log has.
  int told(const std::string& type) {
    const std::string log = flock_.ok({"events", "--json"});
    int times = 0;
    for (size_t at = log.find('"' + type + '"'); at != std::string::npos; ++times) {
      at = log.find('"' + type + '"', at + 1);
    }
    return times;
  }
  boost::json::object follower() {
    return flock_.json({"follower", "ls"}).at("followers").as_array().at(0).as_object();
  }
  // Runs the standard command line with this home; it starts its own daemon.
  Output plain(std::vector<std::string> words) {
    words.insert(words.begin(), std::string(DROVER_PLAIN_BIN) + "/drover");
    return Started(words, {{"DROVER_HOME", flock_.file("home")}}, "").finish();
  }
  void stop() { flock_.ok({"stop"}); }
  // Runs SQL on the database while no daemon runs; returns the first value of the last row.
  std::string sql(const std::string& text) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(flock_.home().database().c_str(), &database), SQLITE_OK);
    std::string out;
    const auto keep = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0] == nullptr ? "" : values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, text.c_str(), keep, &out, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
    return out;
  }

  Flock flock_;
};

// Its command starts a run of its kind, and its follower counts the finished run.
TEST_F(ARoom, WorksEndToEnd) {
  const std::string id = send_and_count("big");
  EXPECT_EQ(text_of(flock_.show(id), "kind"), "delivery");
  EXPECT_EQ(told("parcel.counted"), 1);
  EXPECT_EQ(text_of(follower(), "name"), "parcels.counter");
  EXPECT_NE(flock_.ok({"--help"}).find("parcel send"), std::string::npos);
  EXPECT_NE(flock_.ok({"status"}).find("parcels.counter"), std::string::npos);
  EXPECT_EQ(flock_.drover({"retry", id}).code, 6) << "deliveries are not retriable";
  stop();
  EXPECT_EQ(sql("SELECT count FROM parcels WHERE name = 'big'"), "1");
  EXPECT_EQ(sql("SELECT last_run FROM parcels WHERE name = 'big'"), id);
}

// A follower that cannot continue is reported as stopped, until a person lets it skip that event.
TEST_F(ARoom, HasAFollowerThatStops) {
  send_and_count("lost");
  flock_.ended(send("big"));
  EXPECT_EQ(text_of(follower(), "reason"), "lost: this parcel is lost");
  EXPECT_EQ(flock_.drover({"doctor"}).code, 1);
  EXPECT_NE(flock_.drover({"doctor"}).out.find("drover follower skip parcels.counter"),
            std::string::npos);
  flock_.kill_daemon();
  EXPECT_EQ(text_of(follower(), "reason"), "lost: this parcel is lost");
  flock_.ok({"follower", "skip", "parcels.counter"});
  wait_for_follower();
  EXPECT_EQ(told("parcel.counted"), 1);
  EXPECT_EQ(flock_.drover({"doctor"}).code, 0);
  EXPECT_EQ(flock_.drover({"follower", "skip", "parcels.counter"}).code, 6);
}

// R9: compaction never passes the cursor of a follower that has stopped.
TEST_F(ARoom, HoldsCompactionBackWhileItsFollowerIsStopped) {
  const auto removed = [&] {
    const std::string id = flock_.run("true");
    flock_.ended(id);
    flock_.ok({"rm", id});
    return id;
  };
  const auto events_of = [&](const std::string& id) {
    const std::string answer = flock_.http("GET /_ref/runs/" + id +
                                           "/timeline HTTP/1.1\r\nHost: d\r\n"
                                           "Connection: close\r\n\r\n");
    return boost::json::parse(answer.substr(answer.find("\r\n\r\n") + 4))
        .at("events")
        .as_array()
        .size();
  };
  const std::string before = removed();
  send_and_count("big");
  send_and_count("lost");
  const std::string after = removed();
  send("big");
  stop();
  // Both would be compacted in the same step.
  const auto daemon =
      flock_.start({"serve", "--", "--retain-every", "10ms", "--retain-events", "1ms"});
  daemon->wait_for_error("ready: ");
  while (events_of(before) != 1) {
  }
  EXPECT_EQ(events_of(after), 5U);
  flock_.ok({"follower", "skip", "parcels.counter"});
  while (events_of(after) != 1) {
  }
  flock_.expect_verified();
  stop();
}

// The table of an older version of the room is migrated with its content.
TEST_F(ARoom, MigratesItsTable) {
  send_and_count("big");
  stop();
  sql("ALTER TABLE parcels DROP COLUMN last_run; "
      "UPDATE room_schemas SET version = 1 WHERE room = 'parcels'");
  const std::string id = send_and_count("big");
  stop();
  EXPECT_EQ(sql("SELECT count FROM parcels WHERE name = 'big'"), "2");
  EXPECT_EQ(sql("SELECT last_run FROM parcels WHERE name = 'big'"), id);
}

// A daemon without the room lists its runs, active or finished, and leaves them alone; the daemon
// with the room then continues.
TEST_F(ARoom, IsLeftAloneByADaemonWithoutIt) {
  flock_.environment["DELIVERY"] = until_file(flock_.file("enough"));
  const std::string id = send("big");
  flock_.wait_for_state(id, "running");
  stop();
  const Output list = plain({"show", id, "--json"});
  ASSERT_EQ(list.code, 0) << list.err;
  const auto record = boost::json::parse(list.out).as_object();
  EXPECT_EQ(text_of(record, "kind"), "delivery");
  EXPECT_EQ(text_of(record, "state"), "running");
  EXPECT_NE(plain({"cancel", id}).code, 0);
  EXPECT_NE(plain({"parcel", "send", "big"}).code, 0);
  EXPECT_EQ(plain({"follower", "ls", "--json"}).out.find("parcels."), std::string::npos);
  flock_.touch("enough");
  ASSERT_EQ(plain({"stop"}).code, 0);
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
  wait_for_follower();
  EXPECT_EQ(told("parcel.counted"), 1);
}

}  // namespace
}  // namespace drover::tests
