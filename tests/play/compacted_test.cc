// A play and its steps resolve to the same bytes after their removal and compaction (H2, H4, R9).
#include <boost/json/parse.hpp>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

class CompactedGame : public Game {
 protected:
  std::string get(const std::string& target) {
    const std::string answer =
        flock_.http("GET " + target + " HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
    return answer.substr(answer.find("\r\n\r\n") + 4);
  }
};

TEST_F(CompactedGame, AndItsStepsResolveAsBefore) {
  write_project();
  write_runtime("exit 3");
  add();
  play();
  EXPECT_EQ(text_of(until_rest(), "state"), "runtime_failed");
  std::map<std::string, std::string> before;
  for (const auto& run : flock_.json({"ps", "-a"}).at("runs").as_array()) {
    const std::string id = text_of(run.as_object(), "run_id");
    before[id] = get("/_ref/runs/" + id);
  }
  EXPECT_EQ(before.size(), 6U) << "the play, four steps and the runtime";
  for (const auto& [id, status] : before) flock_.ok({"rm", id});
  flock_.ended(flock_.run("true"));
  flock_.ok({"stop"});
  const auto daemon =
      flock_.start({"serve", "--", "--retain-every", "10ms", "--retain-events", "1ms"});
  daemon->wait_for_error("ready: ");
  const auto rows = [&] {
    return boost::json::parse(get("/api/status?sizes=true")).at("sizes").at("evidence").as_int64();
  };
  while (rows() < static_cast<std::int64_t>(before.size())) {
  }
  for (const auto& [id, status] : before) EXPECT_EQ(get("/_ref/runs/" + id), status);
  flock_.expect_verified();
  flock_.ok({"stop"});
}

}  // namespace
}  // namespace drover::tests
