// The runtime (P3–P5, P7): its arguments, its preconditions, and what remains of it after Stop.
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

using namespace std::string_literals;

class Runtime : public Game {
 protected:
  void SetUp() override { add(); }
};

// H2, H4: a play has no process, so its handle never has a `launched_at`; its runtime's handle has
// one. Both say the same after their records were deleted.
TEST_F(Runtime, HasTheLaunchTimeOfThePlay) {
  barrier("gate");
  write_runtime("read x < gate");
  ASSERT_EQ(play().status, 202);
  const auto running = until_state("running");
  const auto handle = [&](const std::string& id) {
    return connect().ask("GET", "/_ref/runs/" + id).body;
  };
  const std::string id = text_of(running, "run_id");
  const std::string runtime = text_of(running, "runtime_run_id");
  EXPECT_TRUE(handle(id).at("launched_at").is_null());
  EXPECT_TRUE(handle(runtime).at("launched_at").is_string());
  let("gate");
  until_rest();
  for (const std::string& one : {id, runtime}) {
    const auto before = handle(one);
    EXPECT_EQ(before.at("launched_at").is_null(), one == id);
    EXPECT_EQ(connect().ask("DELETE", "/api/runs/" + one).status, 200);
    EXPECT_EQ(handle(one), before);
  }
}

class UnusualPath : public Game {
 protected:
  UnusualPath() : Game("a 'game', \"quoted\"\n$(touch hacked) \xff\xfe") {}
};

// P3: the runtime gets exactly its path, `run` and `build`, in the project's root, without a shell;
// wherever the project is: spaces, quotes, newlines, invalid UTF-8.
TEST_F(UnusualPath, IsCalledWithExactlyItsWords) {
  add();
  write_runtime("ps -o ppid= -p $$ | tr -d ' ' > parent; ps -o comm= -p $(cat parent) > caller");
  ASSERT_EQ(play().status, 202);
  const auto end = until_rest();
  EXPECT_EQ(text_of(end, "state"), "stopped") << text_of(end, "message");
  EXPECT_EQ(read("argv"), path("runtime") + "\0run\0build\0"s);
  EXPECT_EQ(read("cwd"), root_ + "\n");
  EXPECT_TRUE(read("caller").starts_with("drover-keeper")) << read("caller");
  EXPECT_FALSE(exists("hacked"));
  EXPECT_TRUE(exists("build/manifest.json"));
}

// P4: the runtime starts even if the manifest is missing.
TEST_F(Runtime, StartsWithoutTheManifest) {
  // The manifest is removed as soon as it exists, long before its step has finished.
  barrier("gate");
  write_project(step("build", "mkdir -p build; read x < gate"));
  ASSERT_EQ(play().status, 202);
  std::thread taker([&] {
    while (::unlink(path("build/manifest.json").c_str()) != 0) ::sched_yield();
  });
  let("gate");
  taker.join();
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  EXPECT_TRUE(exists("argv"));
  EXPECT_FALSE(exists("build/manifest.json"));
}

// P5: each error of the setup has its code, comes after the preparation, and is a failure of the
// runtime.
TEST_F(Runtime, PreflightSaysWhatIsWrong) {
  std::filesystem::create_directories(path("directory"));
  write("plain", "#!/bin/sh\n");
  write("strange", "no program at all");
  std::filesystem::permissions(path("strange"), std::filesystem::perms::owner_all);
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "runtime_path_missing"},
      {R"({"runtimePath":"  "})", "runtime_path_blank"},
      {R"({"runtimePath":7})", "runtime_path_invalid"},
      {"nonsense", "runtime_path_invalid"},
      {R"({"runtimePath":"directory"})", "runtime_path_invalid"},
      {R"({"runtimePath":"nowhere"})", "runtime_path_not_found"},
      {R"({"runtimePath":"plain"})", "runtime_path_not_executable"},
      {R"({"runtimePath":"strange"})", "spawn_failed"},
  };
  for (const auto& [setup, code] : cases) {
    SCOPED_TRACE(setup);
    write(".drover/setup.json", setup);
    std::remove(path("packed").c_str());
    ASSERT_EQ(play().status, 202);
    const auto end = until_rest();
    EXPECT_EQ(text_of(end, "state"), "runtime_failed");
    EXPECT_EQ(text_of(end, "code"), code);
    EXPECT_TRUE(exists("packed"));
    EXPECT_FALSE(exists("argv"));
    const auto lines = log();
    EXPECT_EQ(lines.back(), "play│" + text_of(end, "message"));
    EXPECT_EQ(text_of(end, "step"), "runtime");
    EXPECT_EQ(feed().back(), "runtime_failed runtime " + std::string(code));
    // One line of the daemon's log, with the id of the play, or of the runtime if that was
    // launched.
    const bool spawned = std::string_view(code) == "spawn_failed";
    const std::string id = text_of(end, spawned ? "runtime_run_id" : "run_id");
    const std::string logged = read_file(flock_.home().log(), 1 << 20).value_or("");
    const size_t at = logged.find("\"run_id\":\"" + id);
    EXPECT_NE(at, std::string::npos) << logged;
    EXPECT_EQ(logged.find("\"run_id\":\"" + id, at + 1), std::string::npos) << logged;
  }
}

// P8: an exit without Stop is a failure, unless the exit code is 0.
TEST_F(Runtime, AnExitWithoutStopFailsUnlessItIsZero) {
  write_runtime("echo out; echo err >&2; exit 3");
  ASSERT_EQ(play().status, 202);
  auto end = until_rest();
  EXPECT_EQ(text_of(end, "state"), "runtime_failed");
  EXPECT_EQ(end.at("exit_code").to_number<int>(), 3);
  const boost::json::array words{path("runtime"), "run", "build"};
  EXPECT_EQ(record(text_of(end, "runtime_run_id")).at("command"), boost::json::value(words));
  auto lines = log();
  EXPECT_NE(std::ranges::find(lines, "runtime│out"), lines.end());
  EXPECT_NE(std::ranges::find(lines, "runtime│err"), lines.end());
  write_runtime("kill -SEGV $$");
  ASSERT_EQ(play().status, 202);
  end = until_rest();
  EXPECT_EQ(text_of(end, "state"), "runtime_failed");
  EXPECT_EQ(end.at("signal").to_number<int>(), SIGSEGV);
}

// P7: Stop kills the runtime and everything it started, even processes that left its session and
// ignore TERM; and nothing else: not another run, and not a run that a step started.
TEST_F(Runtime, StopKillsItAndAllItStarted) {
  const std::string other = flock_.run("exec sleep 1000");
  flock_.wait_for_state(other, "running");
  write_project(step("build", "mkdir -p build; drover run -d -- sleep 1000 > begun"));
  write_runtime(
      "trap '' TERM INT HUP\n"
      "setsid sh -c 'trap \"\" TERM; (setsid sleep 1000 &) ; : > deep; while :; do sleep 1000; "
      "done' &\n" +
      until_file(path("deep")) + ": > up; while :; do sleep 1000; done");
  ASSERT_EQ(play().status, 202);
  flock_.wait_for_file("game/up");
  const auto running = until_state("running");
  const std::string runtime = text_of(running, "runtime_run_id");
  const std::string begun = read("begun").substr(0, 30);  // The run that the step started.
  flock_.wait_for_state(begun, "running");
  std::set<pid_t> others;
  for (const auto& [member, id] : process::marked_by_name("DROVER_RUN_ID")) {
    if (id == other || id == begun) others.insert(member.ref.pid);
  }
  EXPECT_EQ(others.size(), 2U);
  const auto stopped = stop();
  EXPECT_EQ(stopped.status, 202);
  const auto end = until_rest();
  EXPECT_EQ(text_of(end, "state"), "stopped");
  EXPECT_EQ(text_of(record(runtime), "state"), "canceled");
  std::set<pid_t> left;
  for (const auto& member : flock_.alive()) left.insert(member.ref.pid);
  EXPECT_EQ(left, others);
  for (const std::string& id : {other, begun}) {
    EXPECT_EQ(text_of(record(id), "state"), "running");
  }
  // Stop after the end changes nothing, and says so.
  const auto again = stop();
  EXPECT_EQ(again.status, 200);
  EXPECT_TRUE(again.flag("ignored"));
  EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "connecting", "running", "stopped"}));
  flock_.ok({"cancel", other});
  flock_.ok({"cancel", begun});
}

// P3: the setup of a Prometeu project is used if Drover's setup lacks the key, and not if Drover's
// setup has a blank path.
TEST_F(Runtime, IsFoundInThePrometeuSetup) {
  std::filesystem::create_directory(path(".studio"));
  write(".studio/setup.json", R"({"prometeuRuntimePath":"runtime"})");
  write(".drover/setup.json", R"({"other":1})");
  ASSERT_EQ(play().status, 202);
  const auto end = until_rest();
  EXPECT_EQ(text_of(end, "state"), "stopped");
  EXPECT_TRUE(exists("argv"));
  // Nothing stands before it, not even a program that would call it with the same words.
  const boost::json::array words{path("runtime"), "run", "build"};
  EXPECT_EQ(record(text_of(end, "runtime_run_id")).at("command"), boost::json::value(words));
  write(".drover/setup.json", R"({"runtimePath":" "})");
  ASSERT_EQ(play().status, 202);
  EXPECT_EQ(text_of(until_rest(), "code"), "runtime_path_blank");
}

// H2: the project has launched its play, and the steps and the runtime of it.
TEST_F(Runtime, TheSourceIsTheProject) {
  write_project();
  write_runtime("exit 0");
  add();
  ASSERT_EQ(play().status, 202);
  const auto end = until_rest();
  std::vector<std::string> ids{text_of(end, "run_id")};
  for (const auto& [stage, id] : end.at("runs").as_object()) ids.emplace_back(id.as_string());
  EXPECT_GE(ids.size(), 4U);
  for (const std::string& id : ids) {
    const auto status = connect().ask("GET", "/_ref/runs/" + id).body;
    EXPECT_EQ(status.at("source"), (boost::json::object{{"kind", "project"}, {"id", "game"}}))
        << id;
  }
}

// P7: canceling the runtime's run is Stop; a step and the play itself cannot be canceled, and
// preparation cannot be stopped. P6: Play in the meantime is ignored, and says so.
TEST_F(Runtime, CancelIsStopAndPreparationIsLeftAlone) {
  barrier("gate");
  write_project(step("build", "mkdir -p build; read x < gate; touch built"));
  write_runtime("while :; do sleep 1000; done");
  ASSERT_EQ(play().status, 202);
  auto now = session();
  while (!now.at("runs").as_object().contains("build")) now = session();
  const std::string step = text_of(now.at("runs").as_object(), "build");
  const std::string play_run = text_of(now, "run_id");
  for (const std::string& id : {step, play_run}) {
    const auto refused = connect().ask("POST", "/api/runs/" + id + "/cancel", "{}");
    EXPECT_NE(boost::json::serialize(refused.body).find("not_cancellable"), std::string::npos)
        << boost::json::serialize(refused.body);
    // The channel says so, too, and who asked.
    const auto events = connect().ask("GET", "/api/events?last=true&limit=1000").body;
    const auto reported =
        std::ranges::count_if(events.at("events").as_array(), [&](const boost::json::value& event) {
          return event.at("type") == "run.cancel_refused" && event.at("run_id") == id.c_str() &&
                 event.at("data").at("outcome") == "not_cancellable" &&
                 event.at("data").at("by").at("kind") == "owner";
        });
    EXPECT_EQ(reported, 1) << boost::json::serialize(events);
  }
  const auto ignored = stop();
  EXPECT_EQ(ignored.status, 200);
  EXPECT_TRUE(ignored.flag("ignored"));
  // It says what continues, and what the caller can do.
  for (const std::string& part :
       {std::string("preparation cannot be stopped"), "build continues as " + step,
        std::string("`drover play stop game`"), "`drover signal " + step + " KILL`"}) {
    EXPECT_NE(ignored.text("why").find(part), std::string::npos) << ignored.text("why");
  }
  const auto twice = play();
  EXPECT_EQ(twice.status, 200);
  EXPECT_TRUE(twice.flag("ignored"));
  EXPECT_EQ(text_of(session(), "run_id"), play_run);
  let("gate");
  now = until_state("running");
  EXPECT_EQ(play().status, 200);
  const std::string runtime = text_of(now, "runtime_run_id");
  EXPECT_EQ(connect().ask("POST", "/api/runs/" + runtime + "/cancel", R"({"grace":"1h"})").status,
            202);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  EXPECT_TRUE(flock_.alive().empty());
}

// P9: a reader that resumes with the seq of its last entry gets the rest, and nothing twice. A
// project cannot be removed while it is being played.
TEST_F(Runtime, TheLogResumesAfterAnyEntry) {
  barrier("gate");
  write_runtime("echo one; echo two >&2; : > said; read x < gate; printf three");
  ASSERT_EQ(play().status, 202);
  flock_.wait_for_file("game/said");
  EXPECT_EQ(connect().ask("DELETE", "/api/projects/game").status, 409);
  race::Client client = connect();
  client.send("GET /api/projects/game/log?limit=2 HTTP/1.1\r\nHost: d\r\n\r\n");
  const auto page = client.take();
  const auto header = [&](const std::string& name) {
    const size_t at = page.head.find(name + ": ") + name.size() + 2;
    return page.head.substr(at, page.head.find('\r', at) - at);
  };
  ASSERT_TRUE(page.has_header("Drover-Next-Seq: ")) << page.head;
  const std::string seen = header("Drover-Run-Id") + "." + header("Drover-Next-Seq");
  let("gate");
  until_rest();
  client = connect();
  client.send("GET /api/projects/game/log?follow=true HTTP/1.1\r\nHost: d\r\nLast-Event-ID: " +
              seen + "\r\n\r\n");
  const std::string rest = client.take_stream();
  EXPECT_EQ(rest.find("\"building\""), std::string::npos) << rest;
  EXPECT_EQ(rest.find("\"validating\""), std::string::npos) << rest;
  for (const char* line : {"packing", "one", "two", "three"}) {
    const std::string text = "\"text\":\"" + std::string(line) + "\"";
    EXPECT_NE(rest.find(text), std::string::npos) << text << rest;
    EXPECT_EQ(rest.find(text), rest.rfind(text)) << text;
  }
  // The same after each entry of the whole log.
  const auto lines_after = [&](const std::string& query) {
    const std::string answer = flock_.http("GET /api/projects/game/log" + query +
                                           " HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
    std::vector<std::string> lines;
    std::istringstream text(answer.substr(answer.find("\r\n\r\n") + 4));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  };
  const auto all = lines_after("");
  EXPECT_GE(all.size(), 7U);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto seq = boost::json::parse(all[i]).at("seq").to_number<std::uint64_t>();
    EXPECT_EQ(lines_after("?after=" + std::to_string(seq)),
              std::vector(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end()))
        << all[i];
  }
  EXPECT_EQ(connect().ask("DELETE", "/api/projects/game").status, 200);
}

// P9: a follower always gets the end: the last entry and the change come after the end of the
// runtime.
TEST_F(Runtime, AFollowerAlwaysGetsTheEnd) {
  barrier("gate");
  write_runtime("echo up; read x < gate; echo last words; exit 3");
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(play().status, 202);
    until_state("running");
    race::Client client = connect();
    client.send("GET /api/projects/game/log?follow=true HTTP/1.1\r\nHost: d\r\n\r\n");
    let("gate");
    const std::string said = client.take_stream();
    const size_t words = said.find("last words");
    const size_t why = said.find(R"("source":"play")");
    const size_t changed = said.find(R"("state":"runtime_failed")");
    ASSERT_NE(changed, std::string::npos) << said;
    EXPECT_LT(words, why) << said;
    EXPECT_LT(why, changed) << said;
    until_rest();
  }
}

}  // namespace
}  // namespace drover::tests
