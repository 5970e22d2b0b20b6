// The wall clock is set back by an hour, during a daemon's life and between two daemons: ids still
// increase, lists keep their order, and no timer waits for the hour to pass again.
#include <boost/json/array.hpp>
#include <fstream>

#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

using tests::text_of;

class Clock : public AttackedFlock {
 protected:
  Clock() {
    set(0);
    flock_.environment["LD_PRELOAD"] = HOSTILE_CLOCK;
    flock_.environment["DROVER_TEST_CLOCK"] = flock_.file("clock");
  }
  // Sets the daemon's clock to the real time plus so many seconds.
  void set(std::int64_t seconds) {
    std::fstream file(flock_.file("clock"), std::ios::in | std::ios::out | std::ios::binary);
    if (!file) file.open(flock_.file("clock"), std::ios::out | std::ios::binary);
    file.write(reinterpret_cast<const char*>(&seconds), sizeof seconds);
  }
  std::vector<std::string> listed() {
    std::vector<std::string> ids;
    const race::HttpAnswer page = connect().ask("GET", "/api/runs");
    for (const auto& run : page.body.at("runs").get_array()) {
      ids.push_back(text_of(run.get_object(), "run_id"));
    }
    return ids;
  }
  std::string run_to_end(const std::string& script) {
    const std::string id = flock_.run(script);
    EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
    return id;
  }
};

constexpr std::int64_t kHour = 3'600;

// R2, R7: within one daemon ids only increase, and every deadline uses the monotonic clock.
TEST_F(Clock, SetBackDuringADaemonKeepsTheOrder) {
  set(kHour);
  const std::string first = run_to_end("exit 0");
  const std::string slow = flock_.run("sleep 1000", {"--timeout", "300ms"});
  const std::string silent = flock_.run("sleep 1000", {"--idle-timeout", "300ms"});
  flock_.wait_for_state(slow, "running");
  set(0);
  const std::string second = run_to_end("exit 0");
  EXPECT_EQ(text_of(flock_.ended(slow), "state"), "timed_out");
  EXPECT_EQ(text_of(flock_.ended(silent), "state"), "timed_out");
  flock_.run("sleep 1000");
  EXPECT_EQ(connect().ask("GET", "/api/runs/@last?wait=100ms").status, 200);
  flock_.ok({"cancel", "@last"});
  EXPECT_LT(first, second);
  const std::vector<std::string> ids = listed();
  EXPECT_EQ(ids.at(1), second);
  EXPECT_EQ(ids.at(4), first);
  for (const std::string& id : ids) {
    const auto record = flock_.show(id);
    EXPECT_GE(record.at("duration_ms").to_number<std::int64_t>(), 0);
    EXPECT_LT(record.at("duration_ms").to_number<std::int64_t>(), kHour * 1'000);
  }
  flock_.expect_verified();
}

// H10: a daemon that starts an hour before the last one stopped finds everything, and a new run is
// the newest, whatever its id says.
TEST_F(Clock, SetBackBetweenDaemonsLosesNothing) {
  set(kHour);
  const std::string first = run_to_end("echo words");
  const std::string living = flock_.run(tests::until_file(flock_.file("go")) + "exit 5");
  flock_.wait_for_state(living, "running");
  flock_.kill_daemon();
  set(0);
  const std::string second = run_to_end("exit 0");
  EXPECT_LT(second, first);
  EXPECT_EQ(listed(), (std::vector<std::string>{second, living, first}));
  EXPECT_EQ(text_of(flock_.show("@last"), "run_id"), second);
  flock_.touch("go");
  EXPECT_EQ(flock_.ended(living).at("exit_code").to_number<int>(), 5);
  EXPECT_EQ(flock_.ok({"logs", first}), "words");
  std::int64_t last = 0;
  for (const auto& event : flock_.json({"events", "--after", "0"}).at("events").get_array()) {
    EXPECT_GT(event.at("seq").to_number<std::int64_t>(), last);
    last = event.at("seq").to_number<std::int64_t>();
  }
  flock_.kill_daemon();
  flock_.daemon();
  EXPECT_EQ(listed().size(), 3U);
  flock_.expect_verified();
  for (const std::string& id : {first, second, living})
    EXPECT_EQ(flock_.drover({"rm", id}).code, 0);
  EXPECT_TRUE(listed().empty());
}

}  // namespace
}  // namespace drover::hostile
