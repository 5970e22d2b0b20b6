// `why` for running runs through the real programs, on real processes.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fcntl.h>

#include <algorithm>

#include "tests/harness.h"

namespace drover::tests {
namespace {

using boost::json::object;

class Stuck : public ::testing::Test {
 protected:
  // Asks until there is a finding of that kind: a command takes a moment to get stuck. Only the
  // test's own timeout limits it.
  object finding(const std::string& id, const std::string& kind) {
    while (true) {
      const object why = flock_.json({"why", id});
      if (!why.contains("diagnosis")) {
        ADD_FAILURE() << id << " is " << text_of(why, "state");
        return {};
      }
      if (!why.at("diagnosis").is_object()) continue;
      for (const auto& found : why.at("diagnosis").as_object().at("findings").as_array()) {
        if (text_of(found.as_object(), "kind") == "unseen") unseen_ = is_unseen();
        if (HasFailure()) return {};
        if (text_of(found.as_object(), "kind") == kind) return found.as_object();
      }
      // The kernel does not permit reading it.
      if (unseen_ && kind != "stopped" && kind != "quiet") return {};
    }
  }
  // Whether the kernel keeps this user from reading the system calls of the flock's processes. If
  // it does not, `why` may miss a process that exits at that moment, but not again and again.
  bool is_unseen() {
    const bool can_see = std::ranges::any_of(flock_.alive(), [](const process::Member& member) {
      const auto call = read_file("/proc/" + std::to_string(member.ref.pid) + "/syscall", 1000);
      return call && !call->empty();
    });
    if (can_see) EXPECT_LT(++missed_, 100) << "the kernel permits it, and `why` does not look";
    return !can_see;
  }
  void end(const std::string& id) { flock_.drover({"cancel", id, "--grace", "0ms"}); }
  bool has(const object& found, const char* key, const std::string& part) {
    return unseen_ || text_of(found, key).find(part) != std::string::npos;
  }
  Flock flock_;
  bool unseen_ = false;  // /proc/PID/syscall is unreadable on this machine.
  int missed_ = 0;
};

// S1: for a run that waits for input, `why` says so and how to send some; after that the run
// continues.
TEST_F(Stuck, ReadsStandardInput) {
  auto attached = flock_.start({"run", "-i", "--name", "reader", "--", "cat"}, "");
  const std::string id = flock_.run("exec cat", {});  // Reads /dev/null, so it is not stuck.
  flock_.ended(id);
  attached->finish();
  // A detached run with an open pipe, as a program would start it.
  const std::string body = R"({"command":["cat"],"stdin":"pipe"})";
  flock_.http(
      "POST /api/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: "
      "close\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  const object found = finding("@last", "reads_stdin");
  EXPECT_TRUE(has(found, "text", "cat ("));
  EXPECT_TRUE(has(found, "evidence", "in read · fd 0 → pipe:["));
  const std::string page = flock_.ok({"why", "@last"});
  EXPECT_NE(page.find("running"), std::string::npos) << page;
  if (!unseen_) {
    EXPECT_NE(page.find("drover send run_"), std::string::npos) << page;
  }
  flock_.ok({"send", "@last", "--eof"}, "x");
  EXPECT_EQ(text_of(flock_.ended("@last"), "state"), "completed");
}

// For a run that waits for a lock, `why` names the file and the holder.
TEST_F(Stuck, WaitsForALock) {
  const std::string path = flock_.file("lock");
  const Fd locked(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(locked.get(), LOCK_EX), 0);
  const std::string id = flock_.run("exec flock " + path + " true");
  const object found = finding(id, "lock");
  EXPECT_TRUE(has(found, "text", path));
  EXPECT_TRUE(has(found, "text", "(" + std::to_string(::getpid()) + ")"));
  ::flock(locked.get(), LOCK_UN);
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
}

// For a stopped run, `why` says so, whatever it was doing; it continues after a CONT.
TEST_F(Stuck, IsStopped) {
  const std::string id = flock_.run("exec sleep 600");
  flock_.wait_for_state(id, "running");
  flock_.ok({"signal", id, "STOP"});
  EXPECT_TRUE(has(finding(id, "stopped"), "evidence", "state T"));
  flock_.ok({"signal", id, "CONT"});
  finding(id, "quiet");
  EXPECT_EQ(flock_.ok({"why", id}).find("is stopped"), std::string::npos);
  end(id);
}

// For an idle run, `why` says since when: its start, or its last output.
TEST_F(Stuck, IsQuiet) {
  const std::string id = flock_.run("exec sleep 600");
  flock_.wait_for_state(id, "running");
  const object found = finding(id, "quiet");
  EXPECT_EQ(text_of(found, "since").substr(0, 19),
            text_of(flock_.show(id), "started_at").substr(0, 19));
  end(id);
  const std::string loud = flock_.run("echo hello; exec sleep 600");
  while (text_of(finding(loud, "quiet"), "evidence").find("6 bytes printed") == std::string::npos) {
  }
  end(loud);
}

// For a run that waits for a socket, `why` names both addresses.
TEST_F(Stuck, WaitsAtASocket) {
  const Fd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(server.get(), 4), 0);
  ASSERT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const Output started = flock_.drover(
      {"run", "-d", "--", "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/" + port + "; read -u 3 line"});
  ASSERT_EQ(started.code, 0) << started.err;
  const object found = finding("@last", "socket");
  EXPECT_TRUE(has(found, "text", "→ 127.0.0.1:" + port + ", established"));
  end("@last");
}

// In a pipeline, `why` names the process that all others wait for.
TEST_F(Stuck, WaitsForAnotherAtAPipe) {
  const std::string id = flock_.run("sleep 600 | cat");
  const object found = finding(id, "pipe");
  EXPECT_TRUE(has(found, "text", "sleep ("));
  end(id);
}

// For a busy run, `why` says that it is not stuck.
TEST_F(Stuck, IsBusy) {
  const std::string id = flock_.run("while :; do :; done");
  EXPECT_TRUE(has(finding(id, "busy"), "text", "%"));
  end(id);
}

// If the command has exited and a child keeps its pipe open, `why` says that the rest is being
// killed, and names it.
TEST_F(Stuck, IsBeingEnded) {
  const std::string id =
      flock_.run("(trap '' TERM; while :; do sleep 600; done) & exit 0", {"--grace", "300s"});
  finding(id, "ending");
  EXPECT_NE(flock_.ok({"why", id}).find("the command has exited"), std::string::npos);
  end(id);
  flock_.ended(id);
  EXPECT_TRUE(flock_.alive().empty());
}

// H10: `why` works for a run that the daemon has adopted after a restart.
TEST_F(Stuck, IsExplainedByTheNextDaemon) {
  const std::string id = flock_.run("exec sleep 600");
  flock_.wait_for_state(id, "running");
  flock_.kill_daemon();
  finding(id, "quiet");
  end(id);
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::tests
