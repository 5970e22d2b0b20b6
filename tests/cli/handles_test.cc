// The handle of a run (H2), through the real programs, and the daemon's log about a run that was
// accepted and could not be launched (H6).
#include <gtest/gtest.h>

#include <sstream>

#include "tests/cli/access_fixture.h"

namespace drover::tests {
namespace {

using boost::json::object;

class Handles : public Access {
 protected:
  object handle(const std::string& id) { return ask({.target = "/_ref/runs/" + id}).json(); }
  // The lines of the daemon's log that have the run's id.
  std::vector<object> logged(const std::string& id) {
    std::vector<object> out;
    std::istringstream lines(read_file(flock_.home().log(), 1 << 20).value_or(""));
    for (std::string line; std::getline(lines, line);) {
      const object entry = boost::json::parse(line).as_object();
      if (entry.contains("run_id") && text_of(entry, "run_id") == id) out.push_back(entry);
    }
    return out;
  }
};

// H2: a run starts when it is accepted, and is launched when its process runs; never, if the launch
// failed.
TEST_F(Handles, StartWhenAcknowledged) {
  flock_.ok({"lane", "set", "narrow", "1"});
  const std::string first = flock_.run(until_file(flock_.file("go")), {"--lane", "narrow"});
  const std::string queued = flock_.run("exit 0", {"--lane", "narrow"});
  flock_.wait_for_state(first, "running");
  for (const std::string& id : {first, queued}) {
    const object now = handle(id);
    EXPECT_EQ(text_of(now, "status"), "active");
    EXPECT_NE(text_of(now, "started_at"), "");
    EXPECT_EQ(now.at("started_at"), now.at("acknowledged_at"));
    EXPECT_EQ(now.at("launched_at").is_null(), id == queued);
  }
  const object before = handle(queued);
  flock_.touch("go");
  flock_.ended(queued);
  const object after = handle(queued);
  EXPECT_EQ(after.at("started_at"), before.at("started_at"));
  EXPECT_GE(text_of(after, "launched_at"), text_of(after, "started_at"));

  const std::string impossible = flock_.ok({"run", "-d", "--", "/nowhere/at/all"});
  flock_.ended(impossible);
  EXPECT_NE(text_of(handle(impossible), "started_at"), "");
  EXPECT_TRUE(handle(impossible).at("launched_at").is_null());
}

// H2: the source is what launched the run: the launcher in whose scope it is. Only a caller with a
// token for that scope can start a run there; for any other the scope is reserved.
TEST_F(Handles, NameTheirSource) {
  const std::pair<const char*, object> cases[] = {
      {"project/game", {{"kind", "project"}, {"id", "game"}}},
      {"trigger/nightly", {{"kind", "trigger"}, {"id", "nightly"}}},
      {"app/reports/run", {{"kind", "app"}, {"id", "reports"}}},
      {"session/s1", {{"kind", "session"}, {"id", "s1"}}},
      {"batch/b", {{"kind", "batch"}, {"id", "b"}}},
  };
  for (const auto& [scope, source] : cases) {
    const Output claimed = flock_.drover({"run", "-d", "--scope", scope, "--", "true"});
    EXPECT_EQ(claimed.code, 2) << scope;
    EXPECT_NE(claimed.err.find("drover token create"), std::string::npos) << claimed.err;
    const std::string token = flock_.ok({"token", "create", "--can", "run,read", "--scope", scope});
    flock_.environment["DROVER_TOKEN"] = token;
    const std::string id = flock_.run("exit 0");
    flock_.environment.erase("DROVER_TOKEN");
    EXPECT_EQ(handle(id).at("source"), source) << scope;
  }
  // The runs of `run --each` are commands: there is no batch that lasts.
  flock_.ok({"run", "--each", "--name", "each", "--", "true"}, "one input\n");
  const std::string each = text_of(flock_.show("@last"), "run_id");
  EXPECT_EQ(handle(each).at("source"), (object{{"kind", "command"}, {"id", each}}));
  // A command: its own run, or the run in which it was started.
  flock_.environment["PATH"] = flock_.programs + ":/usr/bin:/bin";
  const std::string outer = flock_.run("drover run --name inner -- true");
  flock_.ended(outer);
  for (const std::string& id : {outer, text_of(flock_.show("inner"), "run_id")}) {
    EXPECT_EQ(handle(id).at("source"), (object{{"kind", "command"}, {"id", outer}}));
  }
}

// H6: the daemon's log has one line, with the id, about an acknowledged run that could not be
// launched, and none about a run that was launched.
TEST_F(Handles, AFailedLaunchIsOneLineOfTheLog) {
  const std::string good = flock_.run("exit 3");
  const std::string program = flock_.ok({"run", "-d", "--", "/nowhere/at/all"});
  const std::string place = flock_.run("exit 0", {"--cwd", "/nowhere/at/all"});
  for (const std::string& id : {good, program, place}) flock_.ended(id);
  EXPECT_TRUE(logged(good).empty());
  for (const std::string& id : {program, place}) {
    const auto lines = logged(id);
    ASSERT_EQ(lines.size(), 1U) << id;
    EXPECT_EQ(text_of(lines[0], "level"), "warn");
    EXPECT_EQ(text_of(lines[0], "trace_id"), text_of(handle(id), "trace_id"));
    EXPECT_NE(text_of(lines[0], "message").find("/nowhere/at/all"), std::string::npos);
  }
}

}  // namespace
}  // namespace drover::tests
