// The golden screens: output of commands for fixed records at fixed widths, stored beside this file
// (WIDTH/NAME.txt). `./dev draw` redraws them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/terminal/screen.h"

namespace drover::cli::golden {

struct GoldenScreen {
  std::string name;
  std::function<std::string(const Screen& screen)> draw;
};

// 2026-11-15 10:00:00 UTC: the current time in all screens.
inline constexpr WallMs kNow = 1'794'736'800'000;

// A list for each group of commands; golden_test.cc registers them.
std::vector<GoldenScreen> list_screens();     // ps, top, events, run --each.
std::vector<GoldenScreen> run_screens();      // show.
std::vector<GoldenScreen> reason_screens();   // why, doctor.
std::vector<GoldenScreen> play_screens();     // play status, play feed.
std::vector<GoldenScreen> trigger_screens();  // why TRIGGER, trigger test, ls, show, history.
std::vector<GoldenScreen> daemon_screens();   // status, lane ls, token ls.
std::vector<GoldenScreen> inbox_screens();    // inbox, inbox show.
std::vector<GoldenScreen> help_screens();     // `drover` alone, --help, help TOPIC.

}  // namespace drover::cli::golden
