// Everyday use of runs through the real programs.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <sstream>

#include "tests/harness.h"

namespace drover::tests {
namespace {

using boost::json::object;

class Story : public ::testing::Test {
 protected:
  Flock flock_;
};

// S1: attached, stdout and stderr are passed on byte for byte, and the exit code is the command's
// own.
TEST_F(Story, AttachedRunIsTransparent) {
  const Output output =
      flock_.drover({"run", "--", "/bin/sh", "-c", "printf 'a\\000\\377b'; echo oops >&2; exit 7"});
  EXPECT_EQ(output.code, 7);
  EXPECT_EQ(output.out, std::string("a\0\xff"
                                    "b",
                                    4));
  EXPECT_EQ(output.err, "oops\n");
}

// S1: `show` has the timeouts and the grace of a run, also after it has finished.
TEST_F(Story, ShowsTimeoutsAndGrace) {
  flock_.ok({"run", "--timeout", "1h", "--idle-timeout", "5m", "--grace", "7s", "--", "true"});
  const object record = flock_.show("@last");
  EXPECT_EQ(record.at("timeout_ms"), 3'600'000);
  EXPECT_EQ(record.at("idle_timeout_ms"), 300'000);
  EXPECT_EQ(record.at("grace_ms"), 7'000);
  const std::string page = flock_.ok({"show", "@last"});
  EXPECT_NE(page.find("timeout   1h00m · 5m00s without output"), std::string::npos) << page;
  EXPECT_NE(page.find("grace     7.0s"), std::string::npos) << page;
  flock_.ok({"run", "--", "true"});
  EXPECT_FALSE(flock_.show("@last").contains("timeout_ms"));
  EXPECT_EQ(flock_.ok({"show", "@last"}).find("timeout"), std::string::npos);
}

// R11: output is readable during and after the run: by stream, by tail, by follow, with the time of
// each piece.
TEST_F(Story, OutputIsLiveAndKept) {
  auto attached = flock_.start(
      {"run", "--", "/bin/sh", "-c",
       "echo first; " + until_file(flock_.file("go")) + "echo second; echo third >&2"});
  attached->wait_for("first\n");
  EXPECT_EQ(flock_.ok({"logs", "@last"}), "first");
  auto follower = flock_.start({"logs", "-f", "@last"});
  follower->wait_for("first\n");
  flock_.touch("go");
  EXPECT_EQ(attached->finish().out, "first\nsecond\n");
  const Output followed = follower->finish();
  EXPECT_EQ(followed.out + followed.err, "first\nsecond\nthird\n");
  EXPECT_EQ(flock_.ok({"logs", "@last", "--stream", "stderr"}), "third");
  EXPECT_EQ(flock_.ok({"logs", "@last", "--tail", "1", "--stream", "stdout"}), "second");
  const object record = flock_.show("@last");
  std::string before = text_of(record, "started_at");
  std::istringstream pieces(flock_.ok({"logs", "--json", "@last"}));
  std::string told;
  for (std::string line; std::getline(pieces, line);) {
    const object piece = boost::json::parse(line).as_object();
    EXPECT_GE(text_of(piece, "time"), before) << line;
    before = text_of(piece, "time");
    told += text_of(piece, "stream") + " " + text_of(piece, "text");
  }
  EXPECT_LE(before, text_of(record, "finished_at"));
  EXPECT_EQ(told, "stdout first\nstdout second\nstderr third\n");
}

// S1: `-d` prints the id alone; the id, a unique prefix of it and @last resolve everywhere.
TEST_F(Story, DetachedRunIsAHandle) {
  const std::string id = flock_.run("exit 3");
  EXPECT_EQ(id.size(), 30U);
  EXPECT_EQ(flock_.drover({"wait", id}).code, 3);
  for (const std::string& name : {id, id.substr(0, 29), std::string("@last")}) {
    EXPECT_EQ(text_of(flock_.show(name), "run_id"), id);
    EXPECT_EQ(flock_.drover({"wait", name}).code, 3);
  }
}

// R1: the record has every field, from submission to the end.
TEST_F(Story, TheRecordIsComplete) {
  const std::string id =
      flock_.run("echo out; echo err >&2; exit 0",
                 {"--name", "nightly", "--label", "team=core", "--timeout", "60s"});
  const object record = flock_.ended(id);
  for (const char* field : {"run_id",
                            "trace_id",
                            "kind",
                            "scope",
                            "name",
                            "state",
                            "reason",
                            "origin",
                            "message",
                            "exit_code",
                            "signal",
                            "command",
                            "cwd",
                            "labels",
                            "lane",
                            "attempt",
                            "parent_run_id",
                            "queued_at",
                            "started_at",
                            "finished_at",
                            "duration_ms",
                            "cpu_ms",
                            "peak_rss_bytes",
                            "stdout_bytes",
                            "stderr_bytes",
                            "cancel_requested",
                            "receipt"}) {
    EXPECT_TRUE(record.contains(field)) << field;
  }
  EXPECT_EQ(text_of(record, "state"), "completed");
  EXPECT_EQ(text_of(record, "reason"), "exit_zero");
  EXPECT_EQ(text_of(record, "name"), "nightly");
  EXPECT_EQ(text_of(record, "trace_id").size(), 32U);
  EXPECT_EQ(record.at("stdout_bytes").to_number<int>(), 4);
  EXPECT_EQ(record.at("stderr_bytes").to_number<int>(), 4);
  EXPECT_EQ(text_of(record, "queued_at").back(), 'Z');
}

// R15: argv as given, without a shell; the client's environment, and nothing of the daemon's;
// Drover's directory in PATH; ids in the child's environment.
TEST_F(Story, TheCommandGetsItsEnvironment) {
  flock_.environment["STORY"] = "of the daemon";
  flock_.environment["DAEMON_ONLY"] = "1";
  flock_.daemon();
  flock_.environment.erase("DAEMON_ONLY");
  flock_.environment["STORY"] = "kept $HOME `x`";
  const Output output = flock_.drover({"run", "--env", "MORE=1", "--", "/usr/bin/env"});
  EXPECT_NE(output.out.find("STORY=kept $HOME `x`\n"), std::string::npos);
  EXPECT_EQ(output.out.find("of the daemon"), std::string::npos) << output.out;
  EXPECT_EQ(output.out.find("DAEMON_ONLY"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("MORE=1\n"), std::string::npos);
  EXPECT_NE(output.out.find("DROVER_RUN_ID=run_"), std::string::npos);
  EXPECT_NE(output.out.find("TRACEPARENT=00-"), std::string::npos);
  EXPECT_NE(output.out.find(DROVER_BIN), std::string::npos);
  EXPECT_EQ(flock_.drover({"run", "--", "/bin/echo", "$HOME", "a  b"}).out, "$HOME a  b\n");
  const std::vector<std::string> odd{"",      " ",  "two\nlines", "'quoted'", "\"", "\\",
                                     "*; $(", "-x", "--",         "{}",       "ü",  ""};
  std::vector<std::string> words{"run", "--", "/usr/bin/printf", "<%s>"};
  std::string expected;
  for (const std::string& word : odd) {
    words.push_back(word);
    expected += "<" + word + ">";
  }
  EXPECT_EQ(flock_.drover(words).out, expected);
  EXPECT_EQ(flock_.drover({"run", "--shell", "echo $((1+1))"}).out, "2\n");
}

// R15: values of the environment are stored only in the run's private file, and removed when the
// run has finished.
TEST_F(Story, TheEnvironmentIsForgotten) {
  const std::string value = "planted-value-4711";
  const auto files_with_it = [&] {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(flock_.file("home"))) {
      if (!entry.is_regular_file()) continue;
      const auto text = read_file(entry.path().string(), 1 << 26);
      EXPECT_TRUE(text) << entry.path();
      if (text && text->contains(value)) found.push_back(entry.path());
    }
    return found;
  };
  flock_.environment["PLANTED_SECRET"] = value;
  const std::string id = flock_.run(until_file(flock_.file("go")) + "exit 0");
  flock_.wait_for_state(id, "running");
  const std::filesystem::path own = flock_.home().runs() + "/" + id + ".run";
  EXPECT_EQ(files_with_it(), std::vector{own});
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(own).permissions(), perms::owner_read | perms::owner_write);
  flock_.touch("go");
  flock_.ended(id);
  EXPECT_EQ(flock_.drover({"stop"}).code, 0);  // A daemon that stops has cleaned up.
  EXPECT_EQ(files_with_it(), std::vector<std::filesystem::path>());
}

// R10: a timeout and a silence timeout end a run, each with its reason and exit code 124.
TEST_F(Story, TimeoutsEndARun) {
  EXPECT_EQ(flock_.drover({"run", "--timeout", "50ms", "--", "sleep", "1000"}).code, 124);
  EXPECT_EQ(text_of(flock_.show("@last"), "reason"), "timeout");
  EXPECT_EQ(flock_.drover({"run", "--idle-timeout", "50ms", "--", "sleep", "1000"}).code, 124);
  EXPECT_EQ(text_of(flock_.show("@last"), "reason"), "idle_timeout");
  EXPECT_EQ(text_of(flock_.show("@last"), "state"), "timed_out");
}

// R10: the keeper enforces timeouts, so they work while the daemon is dead.
TEST_F(Story, ATimeoutHoldsWhileTheDaemonIsDead) {
  for (const std::string timeout : {"timeout", "idle-timeout"}) {
    const std::string id =
        flock_.run("echo $$ > " + flock_.file(timeout) + "; sleep 1000", {"--" + timeout, "300ms"});
    flock_.wait_for_file(timeout);
    flock_.kill_daemon();
    // Only its keeper can end it now: wait until the keeper has exited.
    flock_.wait_for_keeper(id);
    EXPECT_TRUE(flock_.alive().empty());
    const object record = flock_.ended(id);
    EXPECT_EQ(text_of(record, "state"), "timed_out");
    EXPECT_EQ(text_of(record, "reason"), timeout == "timeout" ? "timeout" : "idle_timeout");
  }
  flock_.expect_verified();
}

// R6: a cancel has its outcome in every state: queued, running, exiting, finished.
TEST_F(Story, CancelHasAnOutcomeInEveryState) {
  const std::string running = flock_.run("sleep 1000", {"--lane", "one"});
  const std::string queued = flock_.run("echo never", {"--lane", "one"});
  EXPECT_EQ(text_of(flock_.json({"cancel", queued}), "outcome"), "canceled");
  EXPECT_EQ(flock_.drover({"wait", queued}).code, 130);
  const object canceled = flock_.json({"cancel", running});
  EXPECT_EQ(text_of(canceled, "outcome"), "cancel_requested");
  EXPECT_TRUE(canceled.contains("receipt"));
  EXPECT_EQ(flock_.drover({"wait", running}).code, 130);
  EXPECT_EQ(text_of(flock_.show(running), "state"), "canceled");
  EXPECT_EQ(text_of(flock_.json({"cancel", running}), "outcome"), "already_finished");
  EXPECT_EQ(flock_.drover({"logs", queued}).out, "");
  EXPECT_EQ(flock_.drover({"cancel", "run_00000000000000000000000000"}).code, 5);
}

// R7: a run that ignores TERM is killed after its grace, and the receipt says so.
TEST_F(Story, ARunThatIgnoresTermIsKilled) {
  const std::string id =
      flock_.run("trap '' TERM; echo > " + flock_.file("deaf") + "; while :; do sleep 1000; done",
                 {"--grace", "50ms"});
  flock_.wait_for_file("deaf");
  EXPECT_EQ(flock_.drover({"cancel", id}).code, 0);
  const object record = flock_.ended(id);
  EXPECT_EQ(text_of(record, "reason"), "cancel_forced");
  EXPECT_NE(text_of(record.at("receipt").get_object(), "kill_at"), "");
  EXPECT_TRUE(flock_.alive().empty());
}

// R6: canceling a scope cancels exactly its active runs, and says how many.
TEST_F(Story, CancelsAScope) {
  const std::string inside = flock_.run("sleep 1000", {"--scope", "chat/one"});
  const std::string outside = flock_.run("sleep 1000", {"--scope", "chatter"});
  const object answer = flock_.json({"cancel", "--scope", "chat"});
  EXPECT_EQ(answer.at("outcomes").at("cancel_requested").to_number<int>(), 1)
      << boost::json::serialize(answer);
  EXPECT_EQ(text_of(flock_.ended(inside), "state"), "canceled");
  EXPECT_NE(text_of(flock_.show(outside), "state"), "canceled");
  flock_.ok({"cancel", outside});
}

// Ctrl-C cancels and waits; a second one kills.
TEST_F(Story, ControlCCancels) {
  auto attached = flock_.start({"run", "--", "/bin/sh", "-c", "echo up; sleep 1000"});
  attached->wait_for("up");
  attached->signal(SIGINT);
  EXPECT_EQ(attached->finish().code, 130);
  EXPECT_EQ(text_of(flock_.show("@last"), "state"), "canceled");

  auto deaf = flock_.start({"run", "--grace", "1h", "--", "/bin/sh", "-c",
                            "trap '' TERM; echo up; while :; do sleep 1000; done"});
  deaf->wait_for("up");
  deaf->signal(SIGINT);
  deaf->wait_for_error("again");  // The message says what a second Ctrl-C does.
  deaf->signal(SIGINT);
  EXPECT_EQ(deaf->finish().code, 130);
  EXPECT_EQ(text_of(flock_.show("@last"), "reason"), "cancel_forced");
}

// R8, H4: a delete removes the record and the output; the evidence stays; an active run is refused.
TEST_F(Story, DeleteKeepsTheEvidence) {
  const std::string id = flock_.run("echo words; sleep 1000");
  EXPECT_EQ(flock_.drover({"rm", id}).code, 6);
  flock_.ok({"cancel", id});
  EXPECT_EQ(flock_.drover({"rm", id}).code, 0);
  const Output left = flock_.drover({"show", id});
  EXPECT_EQ(left.code, 5) << left.out;
  EXPECT_NE(left.err.find(id + " was removed; `drover show --evidence " + id), std::string::npos)
      << left.err;
  const auto error = boost::json::parse(flock_.drover({"show", "--json", id}).err).at("error");
  EXPECT_EQ(error.at("code"), "not_found");
  EXPECT_EQ(error.at("details").at("status"), "cancelled");
  auto status = error.at("details").as_object();
  EXPECT_EQ(status.at("end").at("state"), "canceled") << error;
  status.erase("end");
  EXPECT_EQ(flock_.json({"show", "--evidence", id}), status);
  EXPECT_NE(flock_.ok({"show", "--evidence", id}).find("canceled · "), std::string::npos);
  EXPECT_EQ(flock_.drover({"logs", id}).code, 5);
  EXPECT_EQ(flock_.drover({"rm", id}).code, 5);
  const std::string events = flock_.ok({"events", "--json", "--after", "0"});
  EXPECT_NE(events.find("run.canceled"), std::string::npos);
  EXPECT_NE(events.find("run.deleted"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(flock_.home().runs() + "/" + id));
  while (!std::filesystem::is_empty(flock_.home().trash())) ::sched_yield();
  const std::string forced = flock_.run("sleep 1000");
  EXPECT_EQ(flock_.drover({"rm", "--force", forced}).code, 0);
  EXPECT_EQ(flock_.drover({"wait", forced}).code, 130);  // Its handle resolves forever (H4).
  flock_.expect_verified();
}

// R9: retention deletes the oldest finished runs; active ones stay.
TEST_F(Story, RetentionPrunes) {
  auto daemon =
      std::make_unique<Started>(std::vector<std::string>{DROVER_BIN "/droverd", "--retain-count",
                                                         "2", "--retain-every", "50ms"},
                                flock_.environment, "");
  daemon->wait_for_error("ready");
  const std::string active = flock_.run("sleep 1000");
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(flock_.run("exit 0"));
    flock_.drover({"wait", ids.back()});
  }
  const auto deleted = [&] {
    std::vector<std::string> out;
    for (const auto& event : flock_.json({"events", "--after", "0"}).at("events").as_array()) {
      if (text_of(event.as_object(), "type") != "run.deleted") continue;
      out.push_back(text_of(event.as_object(), "run_id"));
    }
    return out;
  };
  while (deleted().size() < 2) {
  }
  EXPECT_EQ(deleted(), (std::vector{ids[0], ids[1]}));
  EXPECT_EQ(text_of(flock_.show(active), "state"), "running");
  flock_.ok({"cancel", active});
  flock_.ok({"stop", "--kill"});
  daemon->finish();
}

// `stop --kill` without a daemon starts one to kill the runs, and says so.
TEST_F(Story, StopKillsRunsWithoutADaemon) {
  const std::string left = flock_.run("sleep 1000");
  flock_.wait_for_state(left, "running");
  flock_.ok({"stop"});
  const Output out = flock_.drover({"stop", "--kill"});
  EXPECT_EQ(out.code, 0);
  EXPECT_EQ(out.err,
            "drover: no daemon was running; the one started to kill the runs has stopped; 1 run "
            "was killed\n");
  EXPECT_EQ(text_of(flock_.show(left), "state"), "canceled");
}

// R16: a lane is a queue with a limit that can be changed at run time.
TEST_F(Story, ALaneStartsNoMoreThanItsLimit) {
  flock_.ok({"lane", "set", "builds", "1"});
  const std::string first = flock_.run(until_file(flock_.file("go")), {"--lane", "builds"});
  const std::string second = flock_.run("exit 0", {"--lane", "builds"});
  flock_.wait_for_state(first, "running");
  EXPECT_EQ(text_of(flock_.show(second), "state"), "queued");
  flock_.ok({"lane", "set", "builds", "2"});
  EXPECT_EQ(text_of(flock_.ended(second), "state"), "completed");
  flock_.touch("go");
  EXPECT_EQ(text_of(flock_.ended(first), "state"), "completed");
  const object lanes = flock_.json({"lane", "ls"});
  EXPECT_NE(boost::json::serialize(lanes).find("builds"), std::string::npos);
}

// R5: standard input and signals reach the run.
TEST_F(Story, TakesInputAndSignals) {
  const std::string id = flock_.run("cat; echo end", {"--stdin"});
  flock_.ok({"send", id}, "hello\n");
  flock_.ok({"send", id, "--eof"});
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
  EXPECT_EQ(flock_.ok({"logs", id}), "hello\nend");
  const std::string trapping = flock_.run("trap 'echo got; exit 9' USR1; echo > " +
                                          flock_.file("up") + "; while :; do sleep 0.01; done");
  flock_.wait_for_file("up");
  flock_.ok({"signal", trapping, "USR1"});
  EXPECT_EQ(flock_.drover({"wait", trapping}).code, 9);
  EXPECT_EQ(flock_.drover({"signal", trapping, "USR1"}).code, 6);
}

// The same idempotency key and body give the same run; another body is a conflict.
TEST_F(Story, AKeyMakesOneRun) {
  const std::string first = flock_.ok({"run", "-d", "--key", "k1", "--", "true"});
  EXPECT_EQ(flock_.ok({"run", "-d", "--key", "k1", "--", "true"}), first);
  EXPECT_EQ(flock_.drover({"run", "-d", "--key", "k1", "--", "false"}).code, 6);
  flock_.ended(first);
}

// R5: lists are filtered and paged; `ps --json` prints one JSON object.
TEST_F(Story, ListsAreFilteredAndPaged) {
  const std::string a = flock_.run("exit 0", {"--label", "team=a"});
  flock_.ended(a);
  const std::string b = flock_.run("exit 1", {"--label", "team=b"});
  flock_.ended(b);
  const object by_label = flock_.json({"ps", "-a", "--label", "team=b"});
  ASSERT_EQ(by_label.at("runs").get_array().size(), 1U);
  EXPECT_EQ(text_of(by_label.at("runs").get_array()[0].get_object(), "run_id"), b);
  EXPECT_EQ(flock_.json({"ps", "--state", "failed"}).at("runs").get_array().size(), 1U);
  const std::string c = flock_.run("exit 0");
  flock_.ended(c);
  std::vector<std::string> paged;
  for (std::string cursor = "?limit=1"; !cursor.empty();) {
    const std::string answer =
        flock_.http("GET /api/runs" + cursor + " HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
    const object page = boost::json::parse(answer.substr(answer.find("\r\n\r\n") + 4)).as_object();
    for (const auto& run : page.at("runs").as_array()) {
      paged.push_back(text_of(run.as_object(), "run_id"));
    }
    const std::string next = text_of(page, "next_cursor");
    cursor = next.empty() || paged.size() > 3 ? "" : "?limit=1&cursor=" + next;
  }
  EXPECT_EQ(paged, (std::vector{c, b, a}));
}

// R18: `stop` leaves runs alive under their keepers; `stop --kill` ends them; in both cases every
// run is accounted for.
TEST_F(Story, StopsWithAndWithoutItsRuns) {
  const std::string id = flock_.run(until_file(flock_.file("go")) + "exit 2");
  flock_.wait_for_state(id, "running");
  flock_.ok({"stop"});
  EXPECT_EQ(flock_.alive().size() > 0, true);
  EXPECT_EQ(flock_.drover({"show", id, "--no-start"}).code, 7);
  EXPECT_EQ(text_of(flock_.show(id), "state"), "running");
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", id}).code, 2);
  // Neither the command nor what it has started obeys SIGTERM.
  const std::string other =
      flock_.run("trap '' TERM; (setsid sh -c 'trap \"\" TERM; : > " + flock_.file("up") +
                     "; while :; do sleep 1000; done' &) ; while :; do sleep 1000; done",
                 {"--grace", "50ms"});
  flock_.wait_for_file("up");
  flock_.ok({"stop", "--kill"});
  EXPECT_TRUE(flock_.alive().empty());
  EXPECT_EQ(text_of(flock_.show(other), "state"), "canceled");
  flock_.expect_verified();
}

// S1: inside a run, no daemon is ever started.
TEST_F(Story, NoDaemonIsStartedInsideARun) {
  flock_.environment["DROVER_RUN_ID"] = "run_01m7fcy0qbft3zp4enwe6wz7t4";
  EXPECT_EQ(flock_.drover({"status"}).code, 7);
  flock_.environment.erase("DROVER_RUN_ID");
}

}  // namespace
}  // namespace drover::tests
