// Retention during a play (R9, P9): the log of an active play keeps the output of all its steps.
#include <sched.h>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

class RetainedGame : public Game {
 protected:
  RetainedGame() {
    flock_.ok({"stop"});
    daemon_ = flock_.start({"serve", "--", "--retain-every", "10ms", "--retain-count", "1"});
    daemon_->wait_for_error("ready: ");
  }
  ~RetainedGame() override { flock_.drover({"stop", "--kill"}); }

  bool is_kept(const std::string& id) { return flock_.drover({"show", id}).code == 0; }

  std::unique_ptr<Started> daemon_;
};

// R9: the steps of an earlier play are removed; those of the active one are kept until it finishes.
TEST_F(RetainedGame, KeepsTheStepsOfAnActivePlay) {
  barrier("gate");
  write_project();
  write_runtime("exit 0");
  add();
  ASSERT_EQ(play().status, 202);
  const auto earlier = until_rest();
  EXPECT_EQ(text_of(earlier, "state"), "stopped");
  write_runtime("read x < gate");
  ASSERT_EQ(play().status, 202);
  const auto active = until_state("running");
  for (const auto& [step, id] : earlier.at("runs").as_object()) {
    while (is_kept(std::string(id.as_string()))) ::sched_yield();
  }
  for (const auto& [step, id] : active.at("runs").as_object()) {
    EXPECT_TRUE(is_kept(std::string(id.as_string()))) << step;
  }
  const std::string log =
      flock_.http("GET /api/projects/game/log HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
  EXPECT_NE(log.find(R"("text":"building")"), std::string::npos) << log;
  let("gate");
  until_rest();
  const std::string build = text_of(active.at("runs").as_object(), "build");
  while (is_kept(build)) ::sched_yield();
}

}  // namespace
}  // namespace drover::tests
