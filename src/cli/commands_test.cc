// Exit codes and output of the commands without a test file of their own: the real program against
// a scripted daemon.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "cli/client/fake_daemon.h"
#include "cli/every_command.h"
#include "cli/fields.h"
#include "cli/help/help.h"

namespace drover::cli {
namespace {

using boost::json::object;

object parsed(const std::string& text) {
  return boost::json::parse(text).get_object();
}

FakeDaemon::Script always(unsigned status, std::string body) {
  return [=](const ReceivedRequest&, Reply& reply) { reply.json(status, body); };
}

// S1: 5 not found, 6 conflict, 2 usage, 125 for a request that the daemon cannot fulfill.
TEST(Commands, ErrorsBecomeExitCodes) {
  struct Row {
    unsigned status;
    const char* type;
    int code;
  };
  for (const Row& row :
       {Row{404, "not_found_error", 5}, Row{409, "conflict_error", 6},
        Row{400, "invalid_request_error", 2}, Row{503, "unavailable_error", 125}}) {
    FakeDaemon daemon(
        [&](const ReceivedRequest&, Reply& reply) { reply.error(row.status, row.type, "c"); });
    const Ended ended = drover_says({"show", "run_x"}, daemon.home());
    EXPECT_EQ(ended.code, row.code);
    EXPECT_EQ(ended.err, "drover: because\n");
    EXPECT_EQ(ended.out, "");
  }
}

// S1: if no daemon listens, --no-start and a call from inside a run both exit with 7 and create
// nothing.
TEST(Commands, WithoutDaemonExitsWithSeven) {
  FakeDaemon daemon(always(200, "{}"));
  daemon.go_away();
  EXPECT_EQ(drover_says({"status", "--no-start"}, daemon.home()).code, 7);
  const Ended inside =
      Program({"status"}, {.home = daemon.home(), .environment = {"DROVER_RUN_ID=run_x"}}).wait();
  EXPECT_EQ(inside.code, 7);
  EXPECT_NE(inside.err.find("inside a run"), std::string::npos) << inside.err;
  EXPECT_NE(::access((daemon.home() + "/state").c_str(), F_OK), 0);
}

// `drover` alone shows a few active runs and commands to continue with.
TEST(Commands, WithoutCommandShowsActiveRuns) {
  std::string runs;
  for (int i = 1; i <= 6; ++i) {
    runs += std::string(i > 1 ? "," : "") + R"({"run_id":"run_)" + std::to_string(i) +
            R"(","name":"job-)" + std::to_string(i) + R"(","state":"running","lane":"default"})";
  }
  FakeDaemon daemon(always(200, R"({"runs":[)" + runs + "]}"));
  const Ended ended = drover_says({}, daemon.home());
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_NE(ended.out.find("job-5"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("job-6"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("More runs are active; `drover ps` lists all of them.\n"),
            std::string::npos);
  EXPECT_NE(ended.out.find("\nNext:\n  drover run -- COMMAND"), std::string::npos);
  const auto heard = daemon.await("GET", "/api/runs");
  EXPECT_NE(heard.target.find("active=true"), std::string::npos) << heard.target;

  FakeDaemon idle(always(200, R"({"runs":[]})"));
  EXPECT_TRUE(drover_says({}, idle.home()).out.starts_with("No runs are active.\n\nNext:\n"));
}

// `drover` alone never starts a daemon: without one it says so and creates nothing.
TEST(Commands, WithoutCommandStartsNoDaemon) {
  FakeDaemon daemon(always(200, "{}"));
  daemon.go_away();
  const Ended ended = drover_says({}, daemon.home());
  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(
      ended.out.starts_with("No daemon is running; the next command starts one.\n\nNext:\n"))
      << ended.out;
  EXPECT_EQ(drover_says({"--json"}, daemon.home()).out, "{\"daemon\":false,\"runs\":[]}\n");
  EXPECT_NE(::access((daemon.home() + "/state").c_str(), F_OK), 0);
}

// Help goes to standard output; a noun without a command is an error that lists its commands.
TEST(Commands, HelpGoesToStandardOutput) {
  FakeDaemon daemon(always(200, "{}"));
  const Ended all = drover_says({"--help"}, daemon.home());
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.out, drover_says({"help"}, daemon.home()).out);
  EXPECT_EQ(drover_says({"help", "run"}, daemon.home()).out,
            drover_says({"run", "--help"}, daemon.home()).out);
  EXPECT_TRUE(drover_says({"help", "limits"}, daemon.home()).out.starts_with("limits: "));
  const Ended noun = drover_says({"lane"}, daemon.home());
  EXPECT_EQ(noun.code, 2);
  EXPECT_EQ(noun.out, "");
  EXPECT_NE(noun.err.find("lane set LANE LIMIT"), std::string::npos) << noun.err;
  EXPECT_EQ(drover_says({"help", "nonsense"}, daemon.home()).code, 2);
  EXPECT_EQ(drover_says({"--version"}, daemon.home()).out,
            drover_says({"version"}, daemon.home()).out);
}

// Help has 80 columns in a pipe, and the width in COLUMNS if that is set.
TEST(Commands, HelpFollowsTheWidth) {
  FakeDaemon daemon(always(200, "{}"));
  const auto help = [&](const char* columns) {
    return Program({"run", "--help"}, {.home = daemon.home(), .environment = {columns}}).wait().out;
  };
  EXPECT_EQ(help("COLUMNS="), help_page(kRun, every_command(), 80));
  EXPECT_EQ(help("COLUMNS=60"), help_page(kRun, every_command(), 60));
}

// `stop` without a daemon succeeds.
TEST(Commands, StopWithoutDaemonSucceeds) {
  FakeDaemon daemon(always(200, "{}"));
  daemon.go_away();
  const Ended ended = drover_says({"stop"}, daemon.home());
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "drover: no daemon is running\n");
}

// A caller without permission to stop the daemon gets that error, and not one about reading the
// status.
TEST(Commands, ForbiddenStopIsReported) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    const std::string what = heard.target.starts_with("/api/stop") ? "stop" : "status";
    reply.json(403, R"({"error":{"code":"forbidden","message":"no )" + what +
                        R"(","type":"permission_error"}})");
  });
  const Ended ended = drover_says({"stop"}, daemon.home());
  EXPECT_NE(ended.code, 0);
  EXPECT_NE(ended.err.find("no stop"), std::string::npos) << ended.err;
}

// `wait` asks again while the run is active. Of several runs, the first exit code that is not 0
// counts.
TEST(Commands, WaitExitsWithTheRunsCode) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    static std::atomic<int> asked = 0;
    EXPECT_NE(heard.target.find("wait="), std::string::npos);
    if (heard.target.find("run_a") != std::string::npos) {
      reply.json(200, asked++ == 0 ? R"({"run_id":"run_a","state":"running"})"
                                   : R"({"run_id":"run_a","state":"completed","exit_code":0})");
    } else if (heard.target.find("run_b") != std::string::npos) {
      reply.json(200, R"({"run_id":"run_b","state":"failed","signal":15,"reason":"exit_nonzero"})");
    } else {
      reply.json(200, R"({"run_id":"run_c","state":"failed","exit_code":4})");
    }
  });
  EXPECT_EQ(drover_says({"wait", "run_a"}, daemon.home()).code, 0);
  const Ended ended = drover_says({"wait", "--json", "run_a", "run_b", "run_c"}, daemon.home());
  EXPECT_EQ(ended.code, 143);
  EXPECT_EQ(std::ranges::count(ended.out, '\n'), 3);  // One object a line.
}

// `wait` with an unknown id still waits for the other runs.
TEST(Commands, WaitContinuesAfterAnUnknownId) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    if (heard.target.find("nope") != std::string::npos) {
      return reply.error(404, "not_found_error", "not_found");
    }
    reply.json(200, R"({"run_id":"run_a","state":"completed","exit_code":0})");
  });
  const Ended ended = drover_says({"wait", "--json", "nope", "run_a"}, daemon.home());
  EXPECT_EQ(ended.code, 5);
  EXPECT_NE(ended.out.find("run_a"), std::string::npos);
  EXPECT_EQ(text_in(object_in(parsed(ended.err), "error"), "code"), "not_found");
}

// R6: `cancel` waits by the full id until the run has finished, and prints the receipt.
TEST(Commands, CancelWaitsAndShowsTheReceipt) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    if (heard.method == "POST") {
      return reply.json(202, R"({"run_id":"run_full","outcome":"cancel_requested"})");
    }
    EXPECT_TRUE(heard.target.starts_with("/api/runs/run_full?wait=")) << heard.target;
    reply.json(200, R"({"run_id":"run_full","state":"canceled","receipt":{"signalled":2}})");
  });
  const Ended json = drover_says({"cancel", "--json", "@last"}, daemon.home());
  EXPECT_EQ(json.code, 0);
  const object said = parsed(json.out);
  EXPECT_EQ(text_in(said, "outcome"), "cancel_requested");
  EXPECT_EQ(number_in(object_in(said, "receipt"), "signalled"), 2);
  EXPECT_EQ(drover_says({"cancel", "@last"}, daemon.home()).out,
            "run_full canceled, 2 processes stopped\n");
}

// R8: `rm` of an active run is a conflict that suggests --force; --force cancels, waits and
// deletes.
TEST(Commands, RmForceCancelsFirst) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    static std::atomic<bool> canceled = false;
    if (heard.method == "POST") {
      canceled = true;
      reply.json(202, R"({"run_id":"run_a","outcome":"cancel_requested"})");
    } else if (heard.method == "GET") {
      reply.json(200, R"({"run_id":"run_a","state":"canceled"})");
    } else if (!canceled) {
      reply.error(409, "conflict_error", "active_process_conflict");
    } else {
      reply.json(200, R"({"run_id":"run_a","outcome":"deleted"})");
    }
  });
  const Ended refused = drover_says({"rm", "run_a"}, daemon.home());
  EXPECT_EQ(refused.code, 6);
  EXPECT_NE(refused.err.find("rm --force"), std::string::npos) << refused.err;
  EXPECT_EQ(drover_says({"rm", "--force", "run_a"}, daemon.home()).out, "run_a removed\n");
}

constexpr const char* kRow =
    R"({"run_id":"run_01jc8x0000000000000000000%","name":null,"state":"&","lane":"default",
        "command":["make","-j4","a very long argument that will not fit into a narrow line"],
        "queued_at":"2026-11-15T09:00:00.000Z","started_at":"2026-11-15T09:00:00.000Z",
        "duration_ms":1234,"exit_code":0})";

std::string row(const char* last, const std::string& state) {
  std::string text = kRow;
  text.replace(text.find('%'), 1, last);
  return text.replace(text.find('&'), 1, state);
}

// `ps` shows active runs first, within 80 columns, with whole ids.
TEST(Commands, PsPutsActiveRunsFirstAndFits) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    const bool active = heard.target.find("active=true") != std::string::npos;
    reply.json(200, R"({"runs":[)" + (active ? "" : row("c", "completed") + ",") +
                        row("a", "running") + (active ? "" : "," + row("b", "failed")) +
                        R"(],"next_cursor":null})");
  });
  Program program({"ps"}, {.home = daemon.home(), .environment = {"COLUMNS=80"}});
  const std::string out = program.wait().out;
  std::vector<std::string> ids;
  for (size_t at = 0; (at = out.find("run_01", at)) != std::string::npos; at += 30) {
    ids.push_back(out.substr(at + 29, 1));
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"a", "c", "b"})) << out;
  for (size_t at = 0; at < out.size();) {
    const size_t end = out.find('\n', at);
    EXPECT_LE(end - at, 80U + 2) << out;  // "…" is one column of three bytes.
    at = end + 1;
  }
  const Ended json = drover_says({"ps", "--json"}, daemon.home());
  EXPECT_EQ(array_in(parsed(json.out), "runs").size(), 3U);
}

// An empty list says whether there are no runs at all, or none that matches.
TEST(Commands, PsTellsAnEmptyListFromAnEmptyMatch) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.json(200, R"({"runs":[],"next_cursor":null})");
  });
  EXPECT_TRUE(drover_says({"ps"}, daemon.home()).err.contains("no runs; "));
  EXPECT_TRUE(drover_says({"ps", "--lane", "gpu"}, daemon.home()).err.contains("no run matches"));
}

// A run that finishes while `ps` asks is listed once.
TEST(Commands, PsListsARunOnce) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    const bool active = heard.target.find("active=true") != std::string::npos;
    reply.json(200, R"({"runs":[)" + row("a", active ? "running" : "completed") +
                        R"(],"next_cursor":null})");
  });
  const Ended json = drover_says({"ps", "--json"}, daemon.home());
  EXPECT_EQ(array_in(parsed(json.out), "runs").size(), 1U) << json.out;
}

// `retry` resolves a name or @failed once, and says which run it retries.
TEST(Commands, RetryNamesTheRun) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    reply.json(200, heard.method == "GET" ? R"({"run_id":"run_old"})" : R"({"run_id":"run_new"})");
  });
  const Ended ended = drover_says({"retry", "@failed"}, daemon.home());
  EXPECT_EQ(ended.out, "run_new\n");
  EXPECT_TRUE(ended.err.starts_with("drover: retrying run_old with ")) << ended.err;
  EXPECT_EQ(daemon.count("POST", "/api/runs/run_old/retry"), 1U);
}

// Inside a run, an empty list says that the run sees only its own runs.
TEST(Commands, PsInsideARunSaysWhatIsVisible) {
  FakeDaemon daemon(always(200, R"({"runs":[],"next_cursor":null})"));
  const Ended ended =
      Program({"ps"}, {.home = daemon.home(), .environment = {"DROVER_RUN_ID=run_x"}}).wait();
  EXPECT_EQ(ended.err,
            "drover: no runs; inside a run, only the runs that it started are visible\n");
}

// A change that succeeds is confirmed in one line; with --json by the daemon's answer alone.
TEST(Commands, ChangesAreConfirmed) {
  FakeDaemon daemon(always(200, R"({"ok":true})"));
  const auto says = [&](const std::vector<std::string>& words) {
    return drover_says(words, daemon.home()).out;
  };
  EXPECT_EQ(says({"lane", "set", "gpu", "2"}), "lane gpu runs at most 2 at a time\n");
  EXPECT_EQ(says({"lane", "pause", "gpu"}), "lane gpu is paused\n");
  EXPECT_EQ(says({"lane", "resume", "gpu"}), "lane gpu is open\n");
  EXPECT_EQ(says({"lane", "drain", "gpu"}), "lane gpu accepts no new runs\n");
  EXPECT_EQ(says({"lane", "rm", "gpu"}), "lane gpu removed\n");
  EXPECT_EQ(says({"lane", "move", "a", "gpu"}), "a moved to lane gpu\n");
  EXPECT_EQ(says({"priority", "a", "-3"}), "a has priority -3\n");
  EXPECT_EQ(says({"config", "set", "run.lane", "gpu"}), "run.lane = gpu\n");
  EXPECT_EQ(says({"config", "unset", "run.lane"}), "run.lane removed\n");
  EXPECT_EQ(says({"token", "revoke", "tok_a"}), "tok_a revoked\n");
  EXPECT_EQ(says({"follower", "skip", "f"}), "f resumed after the event\n");
  EXPECT_EQ(says({"project", "rm", "p"}), "p removed\n");
  EXPECT_EQ(says({"memory", "write", "user", "--text", "x"}), "memory user changed, 0 B\n");
  EXPECT_EQ(says({"lane", "set", "gpu", "2", "--json"}), "{\"ok\":true}\n");
  EXPECT_EQ(says({"memory", "write", "user", "--text", "x", "--json"}), "{\"ok\":true}\n");
  EXPECT_EQ(says({"config", "unset", "run.lane", "--json"}), "");
}

// `stop` tells running runs, which continue, from queued ones, which wait for the next daemon.
TEST(Commands, StopCountsQueuedRunsApart) {
  FakeDaemon daemon(always(200, R"({"pid":0,"runs_active":1,"runs_queued":2})"));
  EXPECT_EQ(drover_says({"stop"}, daemon.home()).err,
            "drover: the daemon has stopped; 1 run keeps running without it; "
            "2 queued runs wait for the next daemon\n");
  EXPECT_EQ(drover_says({"stop", "--kill"}, daemon.home()).err,
            "drover: the daemon has stopped; 1 run was killed\n");
}

// Without a valid token, `token ls` says so instead of printing an empty table.
TEST(Commands, TokenLsSaysThatThereAreNone) {
  FakeDaemon daemon(always(
      200, R"({"tokens":[{"token_id":"tok_a","can":"read","scope":"","state":"expired"}]})"));
  const Ended ended = drover_says({"token", "ls"}, daemon.home());
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "drover: there are no valid tokens; `drover token create` creates one\n");
  EXPECT_TRUE(drover_says({"token", "ls", "-a"}, daemon.home()).out.starts_with("TOKEN  "));
}

// `status` and `lane ls` count running and queued runs, in the same words.
TEST(Commands, CountsUseTheSameWords) {
  FakeDaemon daemon(always(200, R"({"runs_active":1,"runs_queued":2,"lanes":[]})"));
  EXPECT_TRUE(drover_says({"status"}, daemon.home()).out.contains("1 running, 2 queued\n"));
  EXPECT_TRUE(drover_says({"lane", "ls"}, daemon.home()).out.contains("RUNNING  QUEUED"));
}

// `why` says once how a run failed, and the commands to continue with.
TEST(Commands, WhySaysWhatToDoNext) {
  FakeDaemon daemon([](const ReceivedRequest& request, Reply& reply) {
    if (!request.is("GET", "/api/runs/")) return reply.error(404, "not_found_error", "not_found");
    reply.json(200, R"({"run_id":"run_a","state":"failed","end":{)"
                    R"("reason":"exit_nonzero","exit_code":1,)"
                    R"("message":"exited with code 1"}})");
  });
  EXPECT_EQ(drover_says({"why", "run_a"}, daemon.home()).out,
            "run_a failed\n  exited with code 1\n"
            "  `drover logs run_a` prints its output, `drover retry run_a` runs it again\n");
}

// A command that was not launched has printed nothing: `why` does not send anybody to its output.
TEST(Commands, WhyOfAFailedLaunchNamesNoOutput) {
  FakeDaemon daemon([](const ReceivedRequest& request, Reply& reply) {
    if (!request.is("GET", "/api/runs/")) return reply.error(404, "not_found_error", "not_found");
    reply.json(200, R"({"run_id":"run_a","state":"failed","end":{)"
                    R"("reason":"launch_failed","message":"x was not found"}})");
  });
  EXPECT_TRUE(drover_says({"why", "run_a"}, daemon.home())
                  .out.ends_with("  `drover retry run_a` runs it again\n"));
}

// Of a run that waits for another one, `why` names the command that explains the other one.
TEST(Commands, WhyOfADependencyNamesTheNextQuestion) {
  FakeDaemon daemon([](const ReceivedRequest& request, Reply& reply) {
    if (!request.is("GET", "/api/runs/")) return reply.error(404, "not_found_error", "not_found");
    reply.json(200, R"({"run_id":"run_a","state":"queued","obstacles":[{"kind":"dependency",)"
                    R"("text":"run_b must complete first","runs":["run_b"]}]})");
  });
  EXPECT_TRUE(drover_says({"why", "run_a"}, daemon.home())
                  .out.contains("must complete first; `drover why run_b` says how far it is"));
}

// Without projects, `project ls` says so instead of printing an empty table.
TEST(Commands, ProjectLsSaysThatThereAreNone) {
  FakeDaemon daemon(always(200, R"({"projects":[]})"));
  const Ended ended = drover_says({"project", "ls"}, daemon.home());
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(ended.err.starts_with("drover: there are no projects; ")) << ended.err;
}

// `trigger ls` and `doctor` print the warnings of triggers.
TEST(Commands, TriggerLsPrintsWarnings) {
  FakeDaemon daemon(always(
      200,
      R"({"triggers":[{"name":"deploy","warning":"other users can read /x"}],"problems":[]})"));
  EXPECT_EQ(drover_says({"trigger", "ls"}, daemon.home()).err,
            "drover: deploy: other users can read /x\n");
  EXPECT_TRUE(drover_says({"doctor"}, daemon.home())
                  .out.contains("bad  triggers       deploy: other users can read /x"));
}

// The error about an invalid number of lines names the option.
TEST(Commands, LogsRefusesAnInvalidTail) {
  FakeDaemon daemon(always(200, "{}"));
  for (const std::string bad : {"x", "-1", ""}) {
    const Ended ended = drover_says({"logs", "-n", bad, "run_a"}, daemon.home());
    EXPECT_EQ(ended.code, 2);
    EXPECT_EQ(ended.err, "drover: invalid --tail \"" + bad + "\": use a number of lines\n");
  }
}

// A mistyped command after `play` gets a suggestion, although it could be a project.
TEST(Commands, PlaySuggestsItsCommands) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.error(404, "not_found_error", "not_found");
  });
  EXPECT_EQ(drover_says({"play", "statu"}, daemon.home()).err,
            "drover: because; did you mean `drover play status`?\n");
  EXPECT_EQ(drover_says({"play", "chess"}, daemon.home()).err, "drover: because\n");
}

// Output is colored only on a terminal, or if the user asks for it.
TEST(Commands, PipesGetColorsOnlyOnRequest) {
  FakeDaemon daemon(always(200, R"({"runs":[)" + row("a", "failed") + R"(],"next_cursor":null})"));
  EXPECT_EQ(drover_says({"ps", "-a"}, daemon.home()).out.find('\x1b'), std::string::npos);
  const std::vector<std::string> insists{"ps", "-a", "--color=always"};
  EXPECT_NE(drover_says(insists, daemon.home()).out.find("\x1b[1;31mfailed"), std::string::npos);
}

const std::string kWholeId = "run_01jc8x00000000000000000000";  // Needs no resolving.

// R11: a log larger than one answer is read to its end, byte by byte as it was written.
TEST(Commands, LogsReadAllPages) {
  const std::string first(8 * 1024 * 1024, '\xFF');
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.target.find("offset=") == std::string::npos) {
      return reply.with_header(200, "Drover-Next-Offset: 8388608\r\n", first);
    }
    EXPECT_NE(heard.target.find("offset=8388608"), std::string::npos);
    reply.with_header(200, "Drover-Next-Offset: 8388611\r\n", "end");
  });
  EXPECT_EQ(drover_says({"logs", kWholeId}, daemon.home()).out, first + "end");
}

// JSON lines that are full before their limit are continued as well.
TEST(Commands, LogsReadAllJsonLines) {
  const auto piece = [](const std::string& offset, const std::string& text) {
    return R"({"offset":)" + offset +
           R"(,"stream":"stdout","time":"2026-11-15T09:58:25.123Z","text":")" + text + "\"}\n";
  };
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.target.find("offset=4") == std::string::npos) {
      return reply.with_header(200, "Drover-Next-Offset: 4\r\nDrover-More: true\r\n",
                               piece("0", "one "));
    }
    reply.with_header(200, "Drover-Next-Offset: 7\r\n", piece("4", "two"));
  });
  EXPECT_NE(drover_says({"logs", "-t", kWholeId}, daemon.home()).out.find("one two"),
            std::string::npos);
}

// `logs -f --tail`: the stream does not repeat the lines that the tail has printed.
TEST(Commands, LogsFollowFromTheTail) {
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("GET", "/api/runs/" + kWholeId + "/logs")) {
      EXPECT_NE(heard.target.find("tail=1"), std::string::npos);
      return reply.with_header(200, "Drover-Next-Offset: 8\r\n", "two\n");
    }
    reply.begin_stream();
    reply.event("1", "run.output", R"({"stream":"stdout","offset":0,"text":"one\n"})");
    reply.event("2", "run.output", R"({"stream":"stdout","offset":4,"text":"two\nthr"})");
    reply.event("3", "run.output", R"({"stream":"stderr","offset":11,"text":"ee\n"})");
    reply.event("4", "run.completed", R"({"data":{"state":"completed","exit_code":0}})");
    reply.end_stream();
  });
  EXPECT_EQ(drover_says({"logs", "-f", "--tail", "1", kWholeId}, daemon.home()).out,
            "two\nthree\n");
}

// --timestamps: each line starts with its time, even if the line arrives in pieces. Output lost to
// a full disk is reported on standard error.
TEST(Commands, LogsPrintsTheTimeOfEachLine) {
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (!heard.is("GET", "/api/runs/" + kWholeId + "/logs")) {
      return reply.json(200, R"({"run_id":"run_a"})");
    }
    EXPECT_NE(heard.target.find("format=ndjson"), std::string::npos);
    const std::string time = R"("time":"2026-11-15T09:58:25.123Z")";
    reply.with_header(200, "Drover-Next-Offset: 9\r\n",
                      R"({"offset":0,"stream":"stdout",)" + time + R"(,"text":"one\ntw"})" + "\n" +
                          R"({"offset":6,"stream":"stdout",)" + time + R"(,"text":"o\n"})" + "\n" +
                          R"({"gap":{"from":8,"to":2056}})" + "\n" +
                          R"({"offset":2056,"stream":"stdout",)" + time +
                          R"(,"text":"e\nlast\n"})" + "\n");
  });
  const auto said = drover_says({"logs", "-t", kWholeId}, daemon.home());
  EXPECT_EQ(said.out,
            "2026-11-15 09:58:25.123 one\n2026-11-15 09:58:25.123 two\n"
            "2026-11-15 09:58:25.123 last\n");
  EXPECT_NE(said.err.find("\u2026 2,048 bytes not kept; 2 bytes of cut lines"), std::string::npos)
      << said.err;
}

// `send` repeats the bytes that a slow reader has not taken yet, and then closes the input.
TEST(Commands, SendRepeatsTheBytesNotTaken) {
  std::mutex mutex;
  std::string taken;
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    const std::lock_guard lock(mutex);
    taken += heard.body.substr(0, 3);
    reply.json(200, R"({"run_id":"run_a","accepted":)" +
                        std::to_string(std::min<size_t>(3, heard.body.size())) + "}");
  });
  EXPECT_EQ(drover_says({"send", "--eof", kWholeId, "hello"}, daemon.home()).code, 0);
  EXPECT_EQ(taken, "hello\n");
  EXPECT_EQ(daemon.count("POST", "/api/runs/" + kWholeId + "/input?eof=true"), 1U);
}

// An answer that cannot be true is an error, and nothing is read beyond the input.
TEST(Commands, SendRefusesAnImpossibleAnswer) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.json(200, R"({"run_id":"run_a","accepted":1000000})");
  });
  const Ended said = drover_says({"send", kWholeId, "hello"}, daemon.home());
  EXPECT_EQ(said.code, 125);
  EXPECT_NE(said.err.find("more bytes than were sent"), std::string::npos) << said.err;
}

// Signals are accepted with and without SIG, in any case, and as numbers.
TEST(Commands, SignalAcceptsNamesAndNumbers) {
  FakeDaemon daemon(always(200, "{}"));
  for (const char* name : {"usr1", "SIGUSR1", "10"}) {
    drover_says({"signal", "run_a", name}, daemon.home());
  }
  for (size_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(daemon.await("POST", "/api/runs/run_a/signal", i).body, R"({"signal":"USR1"})");
  }
}

// `events` reads all pages; --json prints one object, or with -f one object a line.
TEST(Commands, EventsReadsAllPages) {
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.target.find("follow=true") != std::string::npos) {
      reply.begin_stream();
      reply.event("c1", "run.queued", R"({"cursor":"c1","type":"run.queued"})");
      reply.event("c2", "run.started", R"({"cursor":"c2","type":"run.started"})");
    } else if (heard.target.find("after=c1") == std::string::npos) {
      reply.json(200, R"({"events":[{"type":"run.queued"}],"next":"c1"})");
    } else {
      reply.json(200, R"({"events":[],"next":"c1"})");
    }
  });
  const object all = parsed(drover_says({"events", "--json"}, daemon.home()).out);
  EXPECT_EQ(array_in(all, "events").size(), 1U);
  EXPECT_EQ(text_in(all, "next"), "c1");
  EXPECT_EQ(drover_says({"events", "-f", "--json", "--after", "c0", "-n", "2"}, daemon.home()).out,
            "{\"cursor\":\"c1\",\"type\":\"run.queued\"}\n"
            "{\"cursor\":\"c2\",\"type\":\"run.started\"}\n");
}

// `status --json` and `lane ls --json` print the daemon's answer unchanged.
TEST(Commands, JsonPassesThrough) {
  const std::string answer = R"({"pid":7,"new_field":{"kept":true}})";
  FakeDaemon daemon(always(200, answer));
  EXPECT_EQ(drover_says({"status", "--json"}, daemon.home()).out, answer + "\n");
  EXPECT_EQ(drover_says({"lane", "ls", "--json"}, daemon.home()).out, answer + "\n");
}

// An answer that is not JSON is an error, not a crash.
TEST(Commands, RejectsAnswersThatAreNotJson) {
  FakeDaemon daemon(always(200, "<html>"));
  EXPECT_EQ(drover_says({"show", "run_a"}, daemon.home()).code, 125);
  FakeDaemon broken([](const ReceivedRequest&, Reply& reply) {
    reply.bytes("SSH-2.0-nothing\r\n");
    reply.cut();
  });
  EXPECT_EQ(drover_says({"show", "run_a"}, broken.home()).code, 125);
}

}  // namespace
}  // namespace drover::cli
