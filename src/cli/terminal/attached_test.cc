// `drover run` in the foreground: the real program against a scripted daemon.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>

#include <boost/json/parse.hpp>
#include <future>

#include "base/text.h"
#include "cli/client/fake_daemon.h"
#include "cli/fields.h"

namespace drover::cli {
namespace {

constexpr std::string_view kMade =
    R"({"run_id":"run_a","trace_id":"t","state":"queued","links":{}})";

std::string output(std::string_view stream, std::string_view bytes) {
  return R"({"run_id":"run_a","stream":")" + std::string(stream) +
         R"(","offset":0,"time":"2026-11-15T09:58:25.123Z","base64":")" + base64(bytes) + R"("})";
}

std::string end(std::string_view state, std::string_view rest) {
  return R"({"run_id":"run_a","data":{"state":")" + std::string(state) + R"(",)" +
         std::string(rest) + "}}";
}

// Answers the creation of a run, and uses `stream` for its events.
FakeDaemon::Script run_with(std::function<void(const ReceivedRequest&, Reply&)> stream) {
  return [stream = std::move(stream)](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("POST", "/api/runs/run_a/cancel")) {
      reply.json(202, R"({"run_id":"run_a","outcome":"cancel_requested"})");
    } else if (heard.is("POST", "/api/runs/run_a/input")) {
      reply.json(200, R"({"run_id":"run_a","accepted":)" + std::to_string(heard.body.size()) + "}");
    } else if (heard.is("POST", "/api/runs")) {
      reply.json(202, kMade);
    } else if (heard.is("GET", "/api/runs/run_a/events")) {
      stream(heard, reply);
    } else {
      reply.json(200, R"({"run_id":"run_a","state":"completed","exit_code":0})");
    }
  };
}

// S1: prints the run's output byte by byte on the same stream, and exits with the command's exit
// code.
TEST(AttachedRun, PassesOutputAndExitCodeOn) {
  const std::string odd("a\0\xFF\xC3\r\n\x1b[0m", 10);
  FakeDaemon daemon(run_with([&](const ReceivedRequest&, Reply& reply) {
    reply.begin_stream();
    reply.event("1", "run.started", R"({"run_id":"run_a","data":{}})");
    reply.event("1.10", "run.output", output("stdout", odd));
    reply.event("1.20", "run.output", output("stderr", "oops"));
    reply.event("1.30", "run.output", R"({"run_id":"run_a","stream":"stdout","text":"plain é\n"})");
    reply.event("2", "run.failed", end("failed", R"("reason":"exit_nonzero","exit_code":3)"));
    reply.end_stream();
  }));
  const ProgramResult ended = drover_says({"run", "--", "x"}, daemon.home());
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.out, odd + "plain é\n");
  EXPECT_EQ(ended.err, "oops");
}

// Sends the command, our directory and our environment, without the variables of an outer run.
TEST(AttachedRun, SendsCommandDirectoryAndEnvironment) {
  FakeDaemon daemon(run_with([](const ReceivedRequest&, Reply&) {}));
  Program program({"run", "-d",      "--no-start", "--name",    "n",    "--lane",
                   "l",   "--label", "k=v",        "--timeout", "10s",  "--idle-timeout",
                   "5s",  "--env",   "EXTRA=1",    "--key",     "once", "--",
                   "ls",  "-l"},
                  {.home = daemon.home(), .environment = {"DROVER_RUN_ID=run_outer", "SEEN=yes"}});
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "run_a\n");
  const ReceivedRequest heard = daemon.await("POST", "/api/runs");
  EXPECT_EQ(heard.headers.at("idempotency-key"), "once");
  const boost::json::object body = boost::json::parse(heard.body).get_object();
  EXPECT_EQ(body.at("command"), boost::json::value({"ls", "-l"}));
  EXPECT_EQ(text_in(body, "name"), "n");
  EXPECT_EQ(text_in(body, "idle_timeout"), "5s");
  EXPECT_EQ(text_in(object_in(body, "labels"), "k"), "v");
  EXPECT_FALSE(flag_in(body, "inherit_env"));
  EXPECT_TRUE(text_in(body, "cwd").starts_with("/"));
  const boost::json::object& env = object_in(body, "env");
  EXPECT_EQ(text_in(env, "SEEN"), "yes");
  EXPECT_EQ(text_in(env, "EXTRA"), "1");
  EXPECT_EQ(text_in(env, "DROVER_HOME"), daemon.home());
  EXPECT_FALSE(env.contains("DROVER_RUN_ID"));
}

// A run that does not start at once says what it waits for, also if nobody watches a terminal.
TEST(AttachedRun, SaysWhatAQueuedRunWaitsFor) {
  std::promise<void> asked;
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("POST", "/api/runs")) return reply.json(202, kMade);
    if (!heard.is("GET", "/api/runs/run_a/events")) {
      reply.json(200, R"({"run_id":"run_a","state":"queued","lane":"gpu"})");
      return asked.set_value();
    }
    reply.begin_stream();
    asked.get_future().wait();
    reply.event("2", "run.completed", end("completed", R"("reason":"exit_zero","exit_code":0)"));
    reply.end_stream();
  });
  const ProgramResult ended = drover_says({"run", "x"}, daemon.home());
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "drover: run_a is queued: lane gpu; `drover why run_a` says more\n");
}

// R12: a broken stream is resumed after the last event; no output is lost or repeated.
TEST(AttachedRun, ResumesABrokenStream) {
  std::string resumed;
  FakeDaemon daemon(run_with([&](const ReceivedRequest& heard, Reply& reply) {
    reply.begin_stream();
    if (!heard.headers.contains("last-event-id")) {
      reply.event("1.0", "run.started", R"({"run_id":"run_a","data":{}})");
      reply.event("1.4", "run.output", output("stdout", "one\n"));
      reply.bytes("5\r\nhalf");  // In the middle of a chunk.
      return reply.cut();
    }
    resumed = heard.headers.at("last-event-id");
    reply.event("1.8", "run.output", output("stdout", "two\n"));
    reply.event("2", "run.completed", end("completed", R"("reason":"exit_zero","exit_code":0)"));
    reply.end_stream();
  }));
  const ProgramResult ended = drover_says({"run", "x"}, daemon.home());
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "one\ntwo\n");
  EXPECT_EQ(resumed, "1.4");
}

// The daemon may be away for a while: the run continues, and so does the program when the daemon is
// back.
TEST(AttachedRun, WaitsForADaemonThatComesBack) {
  FakeDaemon* place = nullptr;
  std::promise<void> away;
  FakeDaemon daemon(run_with([&](const ReceivedRequest& heard, Reply& reply) {
    if (!heard.headers.contains("last-event-id")) {
      reply.begin_stream();
      reply.event("1", "run.started", R"({"run_id":"run_a","data":{}})");
      place->go_away();
      away.set_value();
      return reply.cut();
    }
    reply.begin_stream();
    reply.event("2", "run.timed_out", end("timed_out", R"("reason":"timeout","message":"1s")"));
    reply.end_stream();
  }));
  place = &daemon;
  Program program({"run", "x"}, {.home = daemon.home()});
  away.get_future().wait();
  daemon.come_back();
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.code, 124);
  EXPECT_NE(ended.err.find("timed out: 1s"), std::string::npos) << ended.err;
}

// A subscriber that lagged resumes at the cursor that the daemon names.
TEST(AttachedRun, ResumesAfterLagging) {
  FakeDaemon daemon(run_with([&](const ReceivedRequest& heard, Reply& reply) {
    reply.begin_stream();
    if (!heard.headers.contains("last-event-id")) {
      reply.event("", "lagged", R"({"missed":9,"cursor":"c7"})");
      return reply.end_stream();
    }
    const bool right = heard.headers.at("last-event-id") == "c7";
    reply.event("9", "run.completed",
                end("completed", right ? R"("exit_code":0)" : R"("exit_code":1)"));
    reply.end_stream();
  }));
  EXPECT_EQ(drover_says({"run", "x"}, daemon.home()).code, 0);
}

// Ctrl-C cancels and waits; a second one kills without grace; the exit code is 130.
TEST(AttachedRun, CtrlCCancelsAndTheSecondOneKills) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd out(ends[0]), in(ends[1]);
  FakeDaemon* place = nullptr;
  FakeDaemon daemon(run_with([&](const ReceivedRequest&, Reply& reply) {
    reply.begin_stream();
    reply.event("1.2", "run.output", output("stdout", "up"));
    place->await("POST", "/api/runs/run_a/cancel", 2);
    reply.event("3", "run.canceled", end("canceled", R"("reason":"cancel_forced","signal":9)"));
    reply.end_stream();
  }));
  place = &daemon;
  Program program({"run", "sleep", "9"}, {.home = daemon.home(), .out = in.get()});
  char up[2];
  ASSERT_EQ(::read(out.get(), up, sizeof up), 2);
  program.signal(SIGINT);
  EXPECT_EQ(daemon.await("POST", "/api/runs/run_a/cancel").body, "{}");
  program.signal(SIGINT);
  EXPECT_EQ(daemon.await("POST", "/api/runs/run_a/cancel", 2).body, R"({"grace":"0ms"})");
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.code, 130);
  EXPECT_NE(ended.err.find("Ctrl-C again"), std::string::npos) << ended.err;
}

// A queued run has no process to kill.
TEST(AttachedRun, CtrlCOfAQueuedRunOffersNoKill) {
  FakeDaemon* place = nullptr;
  FakeDaemon daemon(run_with([&](const ReceivedRequest&, Reply& reply) {
    reply.begin_stream();
    place->await("POST", "/api/runs/run_a/cancel");
    reply.event("3", "run.canceled", end("canceled", R"("reason":"canceled_by_owner")"));
    reply.end_stream();
  }));
  place = &daemon;
  Program program({"run", "sleep", "9"}, {.home = daemon.home()});
  daemon.await("GET", "/api/runs/run_a/events");
  program.signal(SIGINT);
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.code, 130);
  EXPECT_EQ(ended.err, "drover: canceling run_a\ndrover: run_a canceled\n");
}

// A hangup of the terminal detaches: the run continues.
TEST(AttachedRun, HangupDetaches) {
  FakeDaemon* place = nullptr;
  bool done = false;
  std::mutex mutex;
  std::condition_variable over;
  FakeDaemon daemon(run_with([&](const ReceivedRequest&, Reply& reply) {
    reply.begin_stream();
    std::unique_lock lock(mutex);
    over.wait(lock, [&] { return done; });
  }));
  place = &daemon;
  Program program({"run", "sleep", "9"}, {.home = daemon.home()});
  daemon.await("GET", "/api/runs/run_a/events");
  program.signal(SIGHUP);
  EXPECT_EQ(program.wait().code, 128 + SIGHUP);
  EXPECT_EQ(place->count("POST", "/api/runs/run_a/cancel"), 0U);
  const std::lock_guard lock(mutex);
  done = true;
  over.notify_all();
}

// If the reader of our output exits (`| head -1`), the run is canceled, and nothing hangs.
TEST(AttachedRun, ClosedOutputCancelsTheRun) {
  FakeDaemon* place = nullptr;
  FakeDaemon daemon(run_with([&](const ReceivedRequest&, Reply& reply) {
    reply.begin_stream();
    reply.event("1.9", "run.output", output("stdout", "nobody reads this\n"));
    place->await("POST", "/api/runs/run_a/cancel");
    reply.event("3", "run.canceled", end("canceled", R"("reason":"canceled_by_owner")"));
    reply.end_stream();
  }));
  place = &daemon;
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const Fd write_end(pipe[1]);
  ::close(pipe[0]);
  Program program({"run", "yes"}, {.home = daemon.home(), .out = write_end.get()});
  EXPECT_EQ(program.wait().code, 130);
}

// Reads to the end.
std::string drain(const Fd& fd) {
  std::string all;
  std::array<char, 65536> buffer;
  for (ssize_t got; (got = ::read(fd.get(), buffer.data(), buffer.size())) > 0;) {
    all.append(buffer.data(), static_cast<size_t>(got));
  }
  return all;
}

// R17: a Ctrl-C that arrives after an attempt has finished and before the next one starts cancels
// the next one. It is never lost.
TEST(AttachedRun, CtrlCBetweenTwoAttemptsCancels) {
  FakeDaemon* place = nullptr;
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("GET", "/api/runs/run_b/events")) {
      reply.begin_stream();
      place->await("POST", "/api/runs/run_b/cancel");
      reply.event("9", "run.canceled", end("canceled", R"("reason":"canceled_by_owner")"));
      return reply.end_stream();
    }
    run_with([&](const ReceivedRequest&, Reply& stream) {
      stream.begin_stream();
      stream.event("1", "run.output", output("stdout", std::string(80'000, 'x')));
      stream.event("2", "run.failed",
                   end("failed", R"("reason":"exit_nonzero","exit_code":1,"retried_by":"run_b")"));
      stream.end_stream();
    })(heard, reply);
  });
  place = &daemon;
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  Fd read_end(pipe[0]);
  Fd write_end(pipe[1]);
  Program program({"run", "--retry", "1", "x"}, {.home = daemon.home(), .out = write_end.get()});
  write_end.close();
  // Waits until the program blocks on printing the last output: a pipe holds 64 KiB.
  for (int held = 0; held < 65'536; std::this_thread::yield()) {
    ::ioctl(read_end.get(), FIONREAD, &held);
  }
  program.signal(SIGINT);
  EXPECT_EQ(drain(read_end).size(), 80'000U);
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.code, 130);
  EXPECT_NE(ended.err.find("canceling run_b"), std::string::npos) << ended.err;
}

// A slow reader blocks only the output: Ctrl-C still works.
TEST(AttachedRun, CtrlCWorksWhileOutputIsBlocked) {
  FakeDaemon* place = nullptr;
  FakeDaemon daemon(run_with([&](const ReceivedRequest&, Reply& reply) {
    reply.begin_stream();
    for (int i = 0; i < 40; ++i) {
      reply.event("1", "run.output", output("stdout", std::string(60'000, 'x')));
    }
    place->await("POST", "/api/runs/run_a/cancel");
    reply.event("3", "run.canceled", end("canceled", R"("reason":"canceled_by_owner")"));
    reply.end_stream();
  }));
  place = &daemon;
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  Fd read_end(pipe[0]);
  Fd write_end(pipe[1]);
  Program program({"run", "yes"}, {.home = daemon.home(), .out = write_end.get()});
  write_end.close();
  // Waits until the program blocks on the second chunk: a pipe holds 64 KiB.
  for (int held = 0; held <= 60'000; std::this_thread::yield()) {
    ::ioctl(read_end.get(), FIONREAD, &held);
  }
  program.signal(SIGINT);
  daemon.await("POST", "/api/runs/run_a/cancel");
  const std::string all = drain(read_end);
  EXPECT_EQ(program.wait().code, 130);
  EXPECT_EQ(all.size(), 40U * 60'000);  // All output before the end was printed.
}

// --stdin: piped input is sent to the run once it is running, and then closed.
TEST(AttachedRun, PassesInputOn) {
  FakeDaemon* place = nullptr;
  FakeDaemon daemon(run_with([&](const ReceivedRequest&, Reply& reply) {
    reply.begin_stream();
    reply.event("1", "run.started", R"({"run_id":"run_a","data":{}})");
    place->await("POST", "/api/runs/run_a/input?eof=true");
    reply.event("2", "run.completed", end("completed", R"("exit_code":0)"));
    reply.end_stream();
  }));
  place = &daemon;
  const std::string typed("a\0\xFF\n", 4);
  Program program({"run", "--stdin", "cat"}, {.home = daemon.home(), .input = typed});
  EXPECT_EQ(program.wait().code, 0);
  EXPECT_EQ(daemon.await("POST", "/api/runs/run_a/input").body, typed);
  EXPECT_NE(daemon.await("POST", "/api/runs").body.find(R"("stdin":"pipe")"), std::string::npos);
}

// --json prints one object, the final record, and none of the output.
TEST(AttachedRun, JsonPrintsOnlyTheFinalRecord) {
  FakeDaemon daemon(run_with([&](const ReceivedRequest&, Reply& reply) {
    reply.begin_stream();
    reply.event("1", "run.output", output("stdout", "noise"));
    reply.event("2", "run.completed", end("completed", R"("exit_code":0)"));
    reply.end_stream();
  }));
  const ProgramResult ended = drover_says({"run", "--json", "x"}, daemon.home());
  EXPECT_EQ(text_in(boost::json::parse(ended.out).get_object(), "run_id"), "run_a");
}

// If the answer to a creation is lost, the request is repeated with the same idempotency key, so
// that only one run starts.
TEST(AttachedRun, RepeatsALostCreationWithItsKey) {
  std::mutex mutex;
  std::vector<std::string> keys;
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    const std::lock_guard lock(mutex);
    keys.push_back(heard.headers.at("idempotency-key"));
    if (keys.size() == 1) return reply.cut();
    reply.json(202, kMade);
  });
  EXPECT_EQ(drover_says({"run", "-d", "x"}, daemon.home()).out, "run_a\n");
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_GE(keys[0].size(), 32U);
}

}  // namespace
}  // namespace drover::cli
