// Exit codes and output of the commands without a test file of their own: the real program against
// a scripted daemon.
#include <gtest/gtest.h>

#include "cli/client/fake_daemon.h"
#include "cli/every_command.h"
#include "cli/fields.h"
#include "cli/help/help.h"

namespace drover::cli {
namespace {

using boost::json::object;

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
    const ProgramResult ended = drover_says({"show", "run_x"}, daemon.home());
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
  const ProgramResult inside =
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
  const ProgramResult ended = drover_says({}, daemon.home());
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
  const ProgramResult ended = drover_says({}, daemon.home());
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
  const ProgramResult all = drover_says({"--help"}, daemon.home());
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.out, drover_says({"help"}, daemon.home()).out);
  EXPECT_EQ(drover_says({"help", "run"}, daemon.home()).out,
            drover_says({"run", "--help"}, daemon.home()).out);
  EXPECT_TRUE(drover_says({"help", "limits"}, daemon.home()).out.starts_with("limits: "));
  const ProgramResult noun = drover_says({"lane"}, daemon.home());
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

// `retry` resolves a name or @failed once, and says which run it retries.
TEST(Commands, RetryNamesTheRun) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    reply.json(200, heard.method == "GET" ? R"({"run_id":"run_old"})" : R"({"run_id":"run_new"})");
  });
  const ProgramResult ended = drover_says({"retry", "@failed"}, daemon.home());
  EXPECT_EQ(ended.out, "run_new\n");
  EXPECT_TRUE(ended.err.starts_with("drover: retrying run_old with ")) << ended.err;
  EXPECT_EQ(daemon.count("POST", "/api/runs/run_old/retry"), 1U);
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

// Without a valid token, `token ls` says so instead of printing an empty table.
TEST(Commands, TokenLsSaysThatThereAreNone) {
  FakeDaemon daemon(always(
      200, R"({"tokens":[{"token_id":"tok_a","can":"read","scope":"","state":"expired"}]})"));
  const ProgramResult ended = drover_says({"token", "ls"}, daemon.home());
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
  const ProgramResult ended = drover_says({"project", "ls"}, daemon.home());
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(ended.err.starts_with("drover: there are no projects; ")) << ended.err;
}

// `trigger ls` and `doctor` print the warnings of triggers.
TEST(Commands, TriggerLsPrintsWarnings) {
  FakeDaemon daemon(always(
      200,
      R"({"triggers":[{"name":"deploy","source":{"type":"webhook"},"warning":"other users can read /x"},)"
      R"({"name":"sync","source":{"type":"file"},"warning":"/y is polled"}],"problems":[]})"));
  EXPECT_EQ(drover_says({"trigger", "ls"}, daemon.home()).err,
            "drover: deploy: other users can read /x\ndrover: sync: /y is polled\n");
  const std::string found = drover_says({"doctor"}, daemon.home()).out;
  EXPECT_TRUE(found.contains("bad  triggers       deploy: other users can read /x")) << found;
  EXPECT_TRUE(found.contains("note triggers       sync: /y is polled")) << found;
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
