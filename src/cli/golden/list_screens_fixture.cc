// ps, top, events, and the failures of run --each.
#include "cli/golden/records_fixture.h"
#include "cli/golden/screens_fixture.h"
#include "cli/views/each_view.h"
#include "cli/views/event_view.h"
#include "cli/views/runs_table.h"
#include "cli/views/top_view.h"

namespace drover::cli::golden {
namespace {

constexpr size_t kRows = 14;

// The frame of `top` without the escape codes that reverse the selected line.
std::string frame(TopView view, const Screen& screen, size_t rows = kRows) {
  settle(view);
  const std::string table =
      view.runs.empty() ? "" : runs_table(view.runs, screen, kNow, screen.width() - 2);
  std::string out;
  for (std::string line : draw(view, table, screen, screen.width(), rows)) {
    for (const std::string_view code : {"\x1b[7m", "\x1b[0m"}) {
      if (const size_t at = line.find(code); at != std::string::npos) line.erase(at, code.size());
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

TopView view_of(boost::json::array runs) {
  TopView view;
  view.runs = std::move(runs);
  return view;
}

TopView asking() {
  TopView view = view_of(few_runs());
  view.selected = "run_01jcqz5k3m8x2v7n4b9c6d1f0g";
  view.asks = true;
  view.away = true;
  return view;
}

TopView log_of_one() {
  TopView view = view_of(nasty_runs());
  view.selected = "run_01jcqz5k3mac2v7n4b9c6d1f0g";
  view.logs = true;
  view.log_text =
      "epoch 1\r\x1b[31m 訓練 100%\x1b[0m\n\tloss\t0.1\n" + std::string(300, '=') + "\n";
  return view;
}

std::string failures(const Screen& screen) {
  char last = 'a';
  const auto record = [&](std::string_view rest) {
    return object(R"({"run_id":"run_01jcqz5k3m8x)" + std::string(1, last++) + R"(v7n4b9c6d1f0g",)" +
                  std::string(rest) + "}");
  };
  Error refusal;
  refusal.message = "an argument of the command is longer than 128 KiB";
  return failure_table(
      {failure_of(record(R"("state":"failed","reason":"exit_nonzero","exit_code":2)"), "a.txt"),
       failure_of(record(R"("state":"failed","reason":"launch_failed","message":)"
                         R"("./check was not found; check the path")"),
                  "日本語のファイル名.txt"),
       failure_of(record(R"("state":"timed_out","reason":"timeout","signal":15,"message":)"
                         R"("took longer than its timeout")"),
                  "a very long input that does not fit into any column at all, I am afraid"),
       failure_of(refusal, "\x1b[2J\t\xFF")},
      screen);
}

std::string events(const Screen& screen) {
  std::string out;
  for (const boost::json::value& event : array(R"([
    {"time":"2026-11-15T09:00:00.123Z","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","type":"run.queued",
     "data":{"command":["/bin/sh","-c","make\t訓練 && ./a-script-with-a-long-name --and options"]}},
    {"time":"2026-11-15T09:00:00.130Z","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","type":"run.started",
     "data":{}},
    {"time":"2026-11-15T09:00:00.140Z","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","type":"run.progress",
     "data":{"by":"run","percent":42,"text":"linking\u0007","done":null,"total":null}},
    {"time":"2026-11-15T09:00:00.150Z","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","type":"run.progress",
     "data":{"by":"output","bytes":123456,"lines":1234}},
    {"time":"2026-11-15T09:00:01.000Z","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","type":"run.failed",
     "data":{"state":"failed","reason":"exit_nonzero","exit_code":2,"message":"exited with code 2"}},
    {"time":"2026-11-15T09:00:02.000Z","subject":"token/tok_9a8bc65b73c9","type":"token.issued"},
    {"subject":"\u001b[2J","type":"an.event.type.of.a.newer.daemon"}])")) {
    out += event_line(event.get_object(), screen) + "\n";
  }
  return out;
}

}  // namespace

std::vector<GoldenScreen> list_screens() {
  const auto ps = [](boost::json::array runs) {
    return [runs = std::move(runs)](const Screen& screen) {
      return runs_table(runs, screen, kNow, screen.width());
    };
  };
  return {
      {"ps", ps(few_runs())},
      {"ps-nasty", ps(nasty_runs())},
      {"ps-progress", ps(busy_runs())},
      {"ps-empty", ps({})},
      {"top", [](const Screen& s) { return frame(view_of(nasty_runs()), s); }},
      {"top-empty", [](const Screen& s) { return frame({}, s, 6); }},
      {"top-cancel", [](const Screen& s) { return frame(asking(), s, 8); }},
      {"top-log", [](const Screen& s) { return frame(log_of_one(), s, 8); }},
      {"each-failures", failures},
      {"events", events},
  };
}

}  // namespace drover::cli::golden
