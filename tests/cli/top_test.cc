// `drover top`: the full screen, live updates, and the restored terminal.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>

#include "base/text.h"
#include "tests/harness.h"
#include "tests/terminal.h"

namespace drover::tests {
namespace {

const std::string kDrover = std::string(DROVER_BIN) + "/drover";
const std::string kEnter = "\x1b[?1049h";
const std::string kLeave = "\x1b[?1049l";

// S1: runs appear and change live; keys select runs, show logs, and cancel after a confirmation.
TEST(Top, ShowsAndChangesRuns) {
  Flock flock;
  flock.daemon();
  Terminal top({kDrover, "top"}, flock.environment, flock.file(""), 80, 24);
  top.wait_for(kEnter);
  top.wait_for("no runs");
  const std::string first = flock.run("echo hello from the first; sleep 1000");
  top.wait_for(first);
  top.wait_for("running");
  const std::string second = flock.run("sleep 1000");
  top.wait_for(second);
  top.type("\x1b[B");  // Down: the older one.
  top.wait_for("\x1b[7m› " + first);
  top.type("\r");
  top.wait_for("hello from the first");
  top.type("\x1b");
  top.wait_for("select");
  top.type("c");
  top.wait_for("cancel " + first);
  top.type("n");
  top.wait_for("select");
  top.type("cy");
  top.wait_for("canceled");
  EXPECT_EQ(text_of(flock.ended(first), "state"), "canceled");
  EXPECT_EQ(text_of(flock.show(second), "state"), "running");
  top.resize(200, 50);
  top.wait_for("\x1b[H");
  top.type("q");
  EXPECT_EQ(top.finish(), 0);
  EXPECT_NE(top.drawn().find(kLeave), std::string::npos);
  EXPECT_TRUE(top.is_cooked());
}

// S1: a tall terminal is filled with finished runs.
TEST(Top, FillsATallScreen) {
  Flock flock;
  flock.daemon();
  std::vector<std::string> runs;
  for (int i = 0; i < 14; ++i) {
    runs.push_back(flock.run("true"));
    flock.ended(runs.back());
  }
  Terminal top({kDrover, "top"}, flock.environment, flock.file(""), 120, 40);
  for (const std::string& run : runs) top.wait_for(run);
  top.type("q");
  EXPECT_EQ(top.finish(), 0);
}

// S1, R11: the output in `top` is the newest, also behind a gap or after long lines, and the gap is
// shown between its two sides.
TEST(Top, ShowsTheNewestOutput) {
  Flock flock;
  flock.daemon();
  const std::string cut = flock.run("for i in $(seq 8); do printf 'part %d. %0990d\\n' $i 0; done",
                                    {"--output-limit", "4K"});
  flock.ended(cut);  // Until then, the gap may grow after the last line was kept.
  const std::string wide =
      flock.run("for i in $(seq 30); do printf 'wide %d. %010000d\\n' $i 0; done; sleep 1000");
  // The last line may still be in the pipe.
  while (flock.ok({"logs", "-n", "1", wide}).find("wide 30.") == std::string::npos) {
  }
  // The gap that the API names for the same output.
  const std::string page =
      flock.http("GET /api/runs/" + cut + "/logs HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
  std::uint64_t from = 0, to = 0;
  const size_t at = page.find("Drover-Gap: ");
  ASSERT_NE(at, std::string::npos) << page.substr(0, 400);
  ASSERT_EQ(std::sscanf(page.c_str() + at, "Drover-Gap: from=%lu, to=%lu", &from, &to), 2);
  Terminal top({kDrover, "top"}, flock.environment, flock.file(""), 80, 24);
  top.wait_for("\x1b[7m› " + wide);
  top.type("\r");
  top.wait_for("wide 30.");
  top.type("\x1b");
  top.wait_for("select");
  top.type("\x1b[B\r");
  top.wait_for("part 1.");
  top.wait_for("… " + grouped(to - from) + " bytes not kept");
  top.wait_for("part 8.");
  top.type("q");
  EXPECT_EQ(top.finish(), 0);
}

// S1: however `top` ends, the terminal is restored.
TEST(Top, TheTerminalIsRestored) {
  Flock flock;
  flock.daemon();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT}) {
    Terminal top({kDrover, "top"}, flock.environment, flock.file(""));
    top.wait_for(kEnter);
    top.wait_for("quit");
    EXPECT_FALSE(top.is_cooked());
    ::kill(top.pid(), signal);
    EXPECT_EQ(top.finish(), 128 + signal);
    EXPECT_NE(top.drawn().find(kLeave), std::string::npos) << signal;
    EXPECT_TRUE(top.is_cooked()) << signal;
  }
}

// S1, R12: if the daemon stops, `top` says so and waits for the next one.
TEST(Top, WaitsForTheNextDaemon) {
  Flock flock;
  flock.daemon();
  Terminal top({kDrover, "top"}, flock.environment, flock.file(""));
  top.wait_for("no runs");
  flock.ok({"stop"});
  top.wait_for("unreachable");
  const std::string id = flock.run("sleep 1000");
  top.wait_for(id);
  top.type("q");
  EXPECT_EQ(top.finish(), 0);
}

// S1: without a terminal, `top` is an error; without colors it uses none.
TEST(Top, NeedsATerminalAndObeysNoColor) {
  Flock flock;
  const Output out = flock.drover({"top"});
  EXPECT_EQ(out.code, 2);
  EXPECT_NE(out.err.find("terminal"), std::string::npos) << out.err;
  flock.run("sleep 1000");
  flock.environment["NO_COLOR"] = "1";
  Terminal top({kDrover, "top"}, flock.environment, flock.file(""));
  top.wait_for("running");
  top.type("q");
  EXPECT_EQ(top.finish(), 0);
  for (const char* code : {"\x1b[3", "\x1b[2m", "\x1b[1m"}) {
    EXPECT_EQ(top.drawn().find(code), std::string::npos) << top.drawn();
  }
}

}  // namespace
}  // namespace drover::tests
