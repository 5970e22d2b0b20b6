// `drover ps`: the real program against a scripted daemon.
#include <gtest/gtest.h>

#include "cli/client/fake_daemon.h"
#include "cli/fields.h"

namespace drover::cli {
namespace {

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
TEST(Ps, PutsActiveRunsFirstAndFits) {
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
  const ProgramResult json = drover_says({"ps", "--json"}, daemon.home());
  EXPECT_EQ(array_in(parsed(json.out), "runs").size(), 3U);
}

// An empty list says whether there are no runs at all, or none that matches.
TEST(Ps, TellsAnEmptyListFromAnEmptyMatch) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.json(200, R"({"runs":[],"next_cursor":null})");
  });
  EXPECT_TRUE(drover_says({"ps"}, daemon.home()).err.contains("no runs; "));
  EXPECT_TRUE(drover_says({"ps", "--lane", "gpu"}, daemon.home()).err.contains("no run matches"));
}

// A run that finishes while `ps` asks is listed once.
TEST(Ps, ListsARunOnce) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    const bool active = heard.target.find("active=true") != std::string::npos;
    reply.json(200, R"({"runs":[)" + row("a", active ? "running" : "completed") +
                        R"(],"next_cursor":null})");
  });
  const ProgramResult json = drover_says({"ps", "--json"}, daemon.home());
  EXPECT_EQ(array_in(parsed(json.out), "runs").size(), 1U) << json.out;
}

// Inside a run, an empty list says that the run sees only its own runs.
TEST(Ps, InsideARunSaysWhatIsVisible) {
  FakeDaemon daemon(always(200, R"({"runs":[],"next_cursor":null})"));
  const ProgramResult ended =
      Program({"ps"}, {.home = daemon.home(), .environment = {"DROVER_RUN_ID=run_x"}}).wait();
  EXPECT_EQ(ended.err,
            "drover: no runs; inside a run, only the runs that it started are visible\n");
}

// Output is colored only on a terminal, or if the user asks for it.
TEST(Ps, PipesGetColorsOnlyOnRequest) {
  FakeDaemon daemon(always(200, R"({"runs":[)" + row("a", "failed") + R"(],"next_cursor":null})"));
  EXPECT_EQ(drover_says({"ps", "-a"}, daemon.home()).out.find('\x1b'), std::string::npos);
  const std::vector<std::string> insists{"ps", "-a", "--color=always"};
  EXPECT_NE(drover_says(insists, daemon.home()).out.find("\x1b[1;31mfailed"), std::string::npos);
}

}  // namespace
}  // namespace drover::cli
