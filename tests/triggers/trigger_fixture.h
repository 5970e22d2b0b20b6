// A Flock with triggers: adds one, waits for its entries in the ledger.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "testing/until.h"
#include "tests/harness.h"

namespace drover::tests {

class TriggerStory : public ::testing::Test {
 protected:
  void add(const std::string& name, std::vector<std::string> options, const std::string& script) {
    std::vector<std::string> words{"trigger", "add", name};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--shell", "--", script});
    flock_.ok(words);
  }
  // That far from the beginning of the test.
  std::string in_ms(std::int64_t ms) const { return rfc3339(begin_ + ms); }
  // Until the wall clock shows it: a due time of a test has passed.
  void wait_until_ms(std::int64_t ms) const {
    while (SystemClock{}.wall_ms() <= begin_ + ms) {
    }
  }
  // Newest first.
  boost::json::array entries(const std::string& name) {
    return flock_.json({"trigger", "history", name}).at("entries").as_array();
  }
  // The first entry with that outcome; waits for it.
  boost::json::object entry(const std::string& name, const std::string& outcome) {
    boost::json::object found;
    const bool has_it = testing::becomes_true([&] {
      for (const boost::json::value& one : entries(name)) {
        if (text_of(one.as_object(), "outcome") == outcome) found = one.as_object();
        if (!found.empty()) break;
      }
      return !found.empty();
    });
    EXPECT_TRUE(has_it) << name << " has no entry " << outcome;
    return found;
  }
  boost::json::object fired(const std::string& name) { return entry(name, "fired"); }
  // The daemon is killed, and its next one finds the triggers as if that much more time had passed.
  void pass_without_daemon(std::int64_t ms) {
    flock_.kill_daemon();
    pass_time(flock_.home().database(), ms);
    flock_.daemon();
  }
  static void pass_time(const std::string& path, std::int64_t ms) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    const std::string by = std::to_string(ms);
    const std::string change = "UPDATE triggers SET created_at = created_at - " + by +
                               ", anchor = anchor - " + by + ", next_slot = next_slot - " + by +
                               ", wake_at = wake_at - " + by;
    EXPECT_EQ(sqlite3_exec(database, change.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  Flock flock_;
  const WallMs begin_ = SystemClock{}.wall_ms();
};

}  // namespace drover::tests
