// `drover doctor`, as the real program against a scripted daemon.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <sstream>

#include "cli/client/fake_daemon.h"
#include "cli/views/doctor_view.h"
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
    if (line.starts_with("ok ")) break;  // The next finding.
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

// One event, run or time is not in the plural.
TEST(Doctor, CountsInTheSingular) {
  const auto words_of = [](std::string_view json) {
    std::string out;
    for (const Finding& finding : findings_of(boost::json::parse(json).get_object())) {
      out += finding.detail + "\n";
    }
    return out;
  };
  const std::string one = words_of(R"({"restored":{"at":"2026-11-14T10:00:00.000Z","runs":1},)"
                                   R"("slow_loop":{"times":1,"longest_ms":250,"bound_ms":100}})");
  EXPECT_TRUE(one.contains("; 1 run was taken up from its file\n")) << one;
  EXPECT_TRUE(one.contains(" more than 100 ms once, at most 250 ms; ")) << one;
  const std::string two = words_of(R"({"restored":{"at":"2026-11-14T10:00:00.000Z","runs":2},)"
                                   R"("slow_loop":{"times":2,"longest_ms":250,"bound_ms":100}})");
  EXPECT_TRUE(two.contains("; 2 runs were taken up from their files\n")) << two;
  EXPECT_TRUE(two.contains(" more than 100 ms 2 times, at most 250 ms; ")) << two;
}

// The doctor reports settings that keep the daemon from starting or listening, and exits with 1.
TEST(Doctor, ReportsAnImpossibleListenAddress) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.json(200, R"({"version":")" DROVER_VERSION
                    R"(","pid":7,"url_trouble":"cannot listen on 192.0.2.7:80"})");
  });
  const auto busy = drover_says({"doctor"}, daemon.home());
  EXPECT_EQ(busy.code, 1);
  EXPECT_TRUE(busy.out.contains("bad  listen         cannot listen on 192.0.2.7:80; ")) << busy.out;
  daemon.go_away();
  for (const auto& [address, says] :
       {std::pair("nonsense:99999", "such as 127.0.0.1:7777"),
        std::pair("0.0.0.0:80", "can be reached from other machines")}) {
    const auto ended =
        Program({"doctor"},
                {.home = daemon.home(), .environment = {std::string("DROVER_LISTEN=") + address}})
            .wait();
    EXPECT_EQ(ended.code, 1) << ended.out;
    EXPECT_TRUE(ended.out.contains("bad  settings ")) << ended.out;
    EXPECT_TRUE(ended.out.contains(says)) << ended.out;
  }
}

}  // namespace
}  // namespace drover::cli
