// A play session that is unreadable in the database (P8, H10).
#include <boost/json/serialize.hpp>

#include "store/sqlite/database.h"
#include "tests/play/game.h"

namespace drover::tests {
namespace {

class LostSession : public Game {
 protected:
  void SetUp() override { add(); }

  void damage(const std::string& id) {
    auto database = store::sqlite::Database::open(flock_.home().database(), {});
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->execute("UPDATE runs SET phase = 'nonsense' WHERE id = '" + id + "'"));
  }
};

// P8, H10: a daemon that finds an unreadable session stops the runtime and ends the play with the
// code `session_lost`. Verification then finds no problem, and the project can be played again.
TEST_F(LostSession, IsEndedByTheNextDaemon) {
  write_runtime(": > up; while :; do sleep 1000; done");
  ASSERT_EQ(play().status, 202);
  flock_.wait_for_file("game/up");
  const auto now = until_state("running");
  const std::string id = text_of(now, "run_id");
  flock_.kill_daemon();
  damage(id);
  const Output found = flock_.droverd({"--verify"});
  EXPECT_NE(found.out.find("BAD a play session agrees with its last event"), std::string::npos)
      << found.out;
  flock_.daemon();
  const auto ended = flock_.ended(id);
  EXPECT_EQ(text_of(ended, "state"), "abandoned");
  const auto end = session();
  EXPECT_EQ(text_of(end, "state"), "runtime_failed") << boost::json::serialize(end);
  EXPECT_EQ(text_of(end, "code"), "session_lost");
  EXPECT_EQ(text_of(record(text_of(now, "runtime_run_id")), "state"), "canceled");
  EXPECT_TRUE(flock_.alive().empty());
  flock_.expect_verified();
  write_runtime("exit 0");
  ASSERT_EQ(play().status, 202);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
}

}  // namespace
}  // namespace drover::tests
