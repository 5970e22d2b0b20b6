// `drover doctor`, as the real program against a scripted daemon.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/client/fake_daemon.h"
#include "cli/views/table.h"

namespace drover::cli {
namespace {

// Each finding is wrapped to the terminal's width, below its own column; into a pipe it is one
// line.
TEST(Doctor, FitsTheTerminal) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.json(200, R"({"version":"0.1.0","pid":7,"limits":{"memory":"rlimit","cpus":"none",)"
                    R"("pids":"none","no_cgroups":"/sys/fs/cgroup is not writable: it is not )"
                    R"(delegated\u202e"}})");
  });
  const std::string piped = drover_says({"doctor"}, daemon.home()).out;
  const std::string begin = "note limits         enforced: --memory by rlimit (for each process); ";
  EXPECT_NE(piped.find(begin + "not enforced: --cpus, --pids; "), std::string::npos) << piped;
  const std::string out =
      Program({"doctor"}, {.home = daemon.home(), .environment = {"COLUMNS=80"}}).wait().out;
  std::istringstream lines(out.substr(out.find("note limits")));
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(columns(line), 80U) << line;
    if (count > 0) EXPECT_EQ(line.find_first_not_of(' '), 20U) << line;
  }
  EXPECT_GE(count, 3U) << out;
  EXPECT_EQ(out.find("\u202e"), std::string::npos);
}

// A stopped follower is a failed check, and the doctor suggests what to do.
TEST(Doctor, ReportsStoppedFollowers) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.json(200, R"({"version":"0.1.0","pid":7,"followers":[)"
                    R"({"name":"good","cursor":"9","lag":0,"stopped_at":null,"reason":null},)"
                    R"({"name":"bad","cursor":"3","lag":6,"stopped_at":"4","reason":"no: why"}]})");
  });
  const auto ended = drover_says({"doctor"}, daemon.home());
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.out.find("ok   follower       good\n"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("bad  follower       bad stopped at event 4: no: why; "),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("`drover follower skip bad`"), std::string::npos) << ended.out;
}

}  // namespace
}  // namespace drover::cli
