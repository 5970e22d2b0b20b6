// `drover play` in the foreground: the real program against a scripted daemon.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>

#include <filesystem>
#include <fstream>

#include "cli/client/fake_daemon.h"
#include "cli/commands/play/play_view.h"
#include "cli/fields.h"

namespace drover::cli {
namespace {

std::string session(std::string_view state, std::string_view more = "") {
  return R"({"project":"game","run_id":"run_p","state":")" + std::string(state) + R"(","runs":{})" +
         std::string(more) + "}";
}

std::string pressed(bool ignored, std::string_view state, std::string_view why = "because") {
  return R"({"ignored":)" + std::string(ignored ? "true" : "false") + R"(,"why":")" +
         std::string(why) + R"(","session":)" + session(state) + "}";
}

std::string line(std::string_view text) {
  return R"({"seq":1,"source":"runtime","severity":"info","stream":"stdout","text":")" +
         std::string(text) + R"("})";
}

void tell(Reply& reply, std::string_view state) {
  reply.event("", "play.changed", R"({"run_id":"run_p","data":)" + session(state) + "}");
}

// Answers Play and Stop; `stream` sends the log.
FakeDaemon::Script play_with(std::function<void(const ReceivedRequest&, Reply&)> stream,
                             std::function<void(const ReceivedRequest&, Reply&)> stop = {}) {
  return [stream = std::move(stream), stop = std::move(stop)](const ReceivedRequest& heard,
                                                              Reply& reply) {
    if (heard.is("POST", "/api/projects/game/stop")) {
      if (stop) return stop(heard, reply);
      reply.json(202, pressed(false, "running"));
    } else if (heard.is("POST", "/api/projects/game/play")) {
      reply.json(202, pressed(false, "preparing"));
    } else if (heard.is("GET", "/api/projects/game/log")) {
      stream(heard, reply);
    } else if (heard.is("GET", "/api/projects/game/session")) {
      reply.json(200, session("running"));
    } else {
      reply.json(200,
                 R"({"run_id":"run_p","state":"canceled","session":)" + session("stopped") + "}");
    }
  };
}

constexpr const char* kStop = "/api/projects/game/stop";
constexpr const char* kLog = "/api/projects/game/log";

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    read = Fd(ends[0]);
    write = Fd(ends[1]);
  }
  size_t drain() const {
    size_t all = 0;
    std::array<char, 65536> buffer;
    for (ssize_t got; (got = ::read(read.get(), buffer.data(), buffer.size())) > 0;) {
      all += static_cast<size_t>(got);
    }
    return all;
  }
  Fd read, write;
};

// P7: a slow reader blocks only the output: Ctrl-C still stops the play that is shown, and all
// output is printed.
TEST(PlayingTest, CtrlCWorksWhileOutputIsBlocked) {
  FakeDaemon* place = nullptr;
  FakeDaemon daemon(play_with([&](const ReceivedRequest&, Reply& reply) {
    reply.begin_stream();
    tell(reply, "running");
    for (int i = 0; i < 40; ++i) reply.event("1", "play.log", line(std::string(60'000, 'x')));
    place->await("POST", kStop);
    tell(reply, "stopped");
    reply.end_stream();
  }));
  place = &daemon;
  Pipe pipe;
  Program program({"play", "game"}, {.home = daemon.home(), .out = pipe.write.get()});
  pipe.write.close();
  for (int held = 0; held <= 60'000; std::this_thread::yield()) {
    ::ioctl(pipe.read.get(), FIONREAD, &held);
  }
  program.signal(SIGINT);
  EXPECT_EQ(daemon.await("POST", kStop).body, R"({"run_id":"run_p"})");
  EXPECT_GE(pipe.drain(), 40U * 60'000);
  EXPECT_EQ(program.wait().code, 130);
}

// P7: Ctrl-C works while the daemon is away: the first waits for the daemon, the second detaches.
TEST(PlayingTest, CtrlCWorksWhileTheDaemonIsAway) {
  FakeDaemon* place = nullptr;
  FakeDaemon daemon(play_with([&](const ReceivedRequest&, Reply& reply) {
    place->go_away();
    reply.begin_stream();
    reply.event("run_p.1", "play.log", line("before"));
    reply.cut();
  }));
  place = &daemon;
  Pipe pipe;
  Program program({"play", "game"}, {.home = daemon.home(), .out = pipe.write.get()});
  daemon.await("GET", kLog);
  char first = 0;
  ASSERT_EQ(::read(pipe.read.get(), &first, 1), 1);
  program.signal(SIGINT);
  program.signal(SIGTERM);
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.code, 130);
  EXPECT_NE(ended.err.find("the play continues"), std::string::npos) << ended.err;
  EXPECT_EQ(daemon.count("POST", kStop), 0U);
}

// P7: a Stop requested while the daemon is away is sent once when it is back, and repeated if its
// first answer is lost.
TEST(PlayingTest, StopsWhenTheDaemonIsBack) {
  FakeDaemon* place = nullptr;
  std::atomic<int> opened = 0;
  std::atomic<int> asked = 0;
  FakeDaemon daemon(play_with(
      [&](const ReceivedRequest& heard, Reply& reply) {
        if (opened++ == 0) return reply.cut();  // Before the first event.
        if (opened == 2) {
          place->go_away();
          reply.begin_stream();
          reply.event("run_p.1", "play.log", line("before"));
          return reply.cut();
        }
        EXPECT_EQ(heard.headers.at("last-event-id"), "run_p.1");
        reply.begin_stream();
        tell(reply, "running");
        place->await("POST", kStop, 2);
        tell(reply, "stopped");
        reply.end_stream();
      },
      [&](const ReceivedRequest&, Reply& reply) {
        if (asked++ == 0) return reply.cut();
        reply.json(202, pressed(false, "running"));
      }));
  place = &daemon;
  Pipe pipe;
  Program program({"play", "game"}, {.home = daemon.home(), .out = pipe.write.get()});
  std::string seen;
  char next = 0;
  while (seen.find("before") == std::string::npos && ::read(pipe.read.get(), &next, 1) == 1) {
    seen += next;
  }
  program.signal(SIGINT);
  daemon.come_back();
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_NE(ended.err.find("stopping the runtime"), std::string::npos) << ended.err;
}

// P7: a Ctrl-C that was ignored during preparation does not count once the runtime runs.
TEST(PlayingTest, CtrlCAfterThePreparationStops) {
  FakeDaemon* place = nullptr;
  std::atomic<int> asked = 0;
  FakeDaemon daemon(play_with(
      [&](const ReceivedRequest&, Reply& reply) {
        reply.begin_stream();
        tell(reply, "preparing");
        place->await("POST", kStop);
        tell(reply, "connecting");
        tell(reply, "running");
        reply.event("run_p.1", "play.log", line("on its way"));
        place->await("POST", kStop, 2);
        tell(reply, "stopped");
        reply.end_stream();
      },
      [&](const ReceivedRequest&, Reply& reply) {
        if (asked++ == 0) return reply.json(200, pressed(true, "preparing"));
        reply.json(202, pressed(false, "running"));
      }));
  place = &daemon;
  Pipe pipe;
  Program program({"play", "game"}, {.home = daemon.home(), .out = pipe.write.get()});
  daemon.await("GET", kLog);
  program.signal(SIGINT);
  std::string seen;
  char buffer[4096];
  while (seen.find("on its way") == std::string::npos) {
    const ssize_t got = ::read(pipe.read.get(), buffer, sizeof buffer);
    ASSERT_GT(got, 0);
    seen.append(buffer, static_cast<size_t>(got));
  }
  program.signal(SIGINT);
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.code, 130);
  EXPECT_NE(ended.err.find("because; press Ctrl-C again to detach"), std::string::npos);
  EXPECT_EQ(daemon.count("POST", kStop), 2U);
}

// If the reader of our output exits (`| head -1`), the play continues, as after a hangup.
TEST(PlayingTest, ClosedOutputDetaches) {
  std::mutex mutex;
  std::unique_lock played(mutex);
  FakeDaemon daemon(play_with([&](const ReceivedRequest&, Reply& reply) {
    reply.begin_stream();
    reply.event("run_p.1", "play.log", line("nobody reads this"));
    const std::lock_guard until_left(mutex);
  }));
  Pipe pipe;
  pipe.read.close();
  Program program({"play", "game"}, {.home = daemon.home(), .out = pipe.write.get()});
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.code, 130);
  EXPECT_NE(ended.err.find("the play continues"), std::string::npos) << ended.err;
  EXPECT_EQ(daemon.count("POST", kStop), 0U);
  played.unlock();
}

// If the answer to Play is lost, the request is repeated with the same idempotency key, so that
// only one play starts.
TEST(PlayingTest, RepeatsALostPlayWithItsKey) {
  std::mutex mutex;
  std::vector<std::string> keys;
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (!heard.is("POST", "/api/projects/game/play")) return reply.json(200, "{}");
    const std::lock_guard lock(mutex);
    keys.push_back(heard.headers.contains("idempotency-key") ? heard.headers.at("idempotency-key")
                                                             : "");
    if (keys.size() == 1) return reply.cut();
    reply.json(202, pressed(false, "preparing"));
  });
  const ProgramResult ended = drover_says({"play", "-d", "game"}, daemon.home());
  EXPECT_EQ(ended.out, "run_p\n") << ended.err;
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_NE(keys[0], "");
  EXPECT_EQ(keys[0], keys[1]);
}

// `play stop` waits for the play that it stopped, even if another one has started; if that play
// does not finish in time, it says so and exits with 124.
TEST(PlayingTest, StopWaitsForTheStoppedPlay) {
  std::string state = "stopped";
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("POST", kStop)) return reply.json(202, pressed(false, "running"));
    if (heard.is("GET", "/api/runs/run_p?wait=")) {
      return reply.json(200, R"({"run_id":"run_p","state":"x","session":)" + session(state) + "}");
    }
    reply.json(200, session("running"));
  });
  const ProgramResult gone = drover_says({"play", "stop", "game"}, daemon.home());
  EXPECT_EQ(gone.code, 0) << gone.err;
  EXPECT_EQ(gone.out, "game is stopped\n");
  EXPECT_EQ(daemon.await("POST", kStop).body, R"({"run_id":"run_p"})");
  state = "running";
  const ProgramResult stays = drover_says({"play", "stop", "game"}, daemon.home());
  EXPECT_EQ(stays.code, 124);
  EXPECT_EQ(stays.out, "game is running\n");
}

// P9: without -f the log is printed up to its end at the first request, however fast it grows.
TEST(PlayingTest, LogStopsAtTheFirstEnd) {
  const auto entry = [](int seq) {
    return R"({"seq":)" + std::to_string(seq) + R"(,"source":"runtime","text":"line )" +
           std::to_string(seq) + "\"}\n";
  };
  std::atomic<int> pages = 0;
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (!heard.is("GET", kLog)) return reply.json(200, session("running"));
    const int at = ++pages * 10;
    reply.with_header(200, "Drover-End-Seq: " + std::to_string(at + 5) + "\r\n",
                      entry(at) + entry(at + 3));
  });
  const ProgramResult ended = drover_says({"play", "log", "game"}, daemon.home());
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "runtime         │ line 10\nruntime         │ line 13\n");
  EXPECT_EQ(pages, 2);
}

// R15: a caller who may only play a project needs no permission to register it, if it is registered
// already.
TEST(PlayingTest, DoesNotRegisterAKnownProject) {
  std::string root;
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("GET", "/api/projects")) {
      return reply.json(200, R"({"projects":[{"project":"game","root":")" + root + R"("}]})");
    }
    if (heard.is("POST", "/api/projects/game/play")) {
      return reply.json(202, pressed(false, "preparing"));
    }
    reply.error(403, "invalid_request_error", "forbidden");
  });
  root = std::filesystem::canonical(daemon.home()).string() + "/game";
  std::filesystem::create_directories(root);
  std::ofstream(root + "/drover.toml") << "[project]\nid = \"game\"\n";
  const ProgramResult ended = drover_says({"play", "-d", root + "/"}, daemon.home());
  EXPECT_EQ(ended.out, "run_p\n") << ended.err;
  EXPECT_EQ(daemon.count("POST", "/api/projects"), 1U);  // To play it.
}

// A diagnostic is decoded from JSON and may contain anything: it is shown as one line without
// control characters. An ordinary line is printed unchanged.
TEST(PlayView, ShowsADiagnosticAsOneLine) {
  const Screen screen(ColorMode::never);
  const boost::json::object found{{"source", "pack-validation"},
                                  {"severity", "error"},
                                  {"text", "a\nplay            │ stopped\x1b[2J\a\r"},
                                  {"diagnostic", boost::json::object{}}};
  const std::string text = log_line(screen, found);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  for (const char c : {'\x1b', '\a', '\r'}) EXPECT_EQ(text.find(c), std::string::npos) << text;
  const boost::json::object plain{
      {"source", "build"}, {"severity", "info"}, {"text", "\x1b[31mred\r"}};
  EXPECT_EQ(log_line(screen, plain), "build           │ \x1b[31mred\n");
}

}  // namespace
}  // namespace drover::cli
