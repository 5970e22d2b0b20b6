// drover why: why a run is not running, or why it ended.

#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/views/diagnosis_view.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

std::string obstacle_lines(const object& obstacle, const Screen& screen, WallMs now) {
  std::string line = clean(text_in(obstacle, "text"));
  if (const auto since = parse_rfc3339(text_in(obstacle, "since"))) {
    line += " (since " + say_local(*since) + ", " + say_elapsed(now - *since) + ")";
  }
  if (const auto until = parse_rfc3339(text_in(obstacle, "until"))) {
    line += " (at " + say_local(*until) + ")";
  }
  std::string out = "  " + screen.paint(Color::yellow, "·") + " " + line + "\n";
  if (text_in(obstacle, "kind") != "lane_full") return out;
  for (const boost::json::value& run : array_in(obstacle, "runs")) {
    if (run.is_string()) out += "      " + clean(run.get_string()) + "\n";
  }
  return out;
}

std::string end_lines(const object& end) {
  std::string out;
  const auto line = [&](const std::string& text) {
    if (!text.empty()) out += "  " + clean(text) + "\n";
  };
  std::string how = text_in(end, "reason");
  if (const auto code = number_in(end, "exit_code")) how += " · exit " + std::to_string(*code);
  if (const auto signal = number_in(end, "signal")) {
    how += " · " + say_signal(static_cast<int>(*signal));
  }
  line(how);
  line(text_in(end, "message"));
  line(receipt_line(end));
  const std::string next = text_in(end, "retried_by");
  if (!next.empty()) line("tried again as " + next);
  return out;
}

// A composite does nothing itself: says what it is at, and whom to ask about that.
std::string composite_lines(const object& why, const PhaseView* view, const Screen& screen,
                            WallMs now) {
  const object& child = object_in(why, "child");
  std::string out, what = "child";
  if (view != nullptr) {
    const object& phase = object_in(why, view->field);
    out = "  " + clean(view->sentence(phase)) + "\n";
    what = clean(view->child(phase));
  }
  if (child.empty()) return out + "  its next run is about to be asked for\n";
  const std::string run = clean(text_in(child, "run_id"));
  out += "  its " + what + " is " + screen.paint(Color::bold, run) + ", " +
         screen.paint(color_of(child), text_in(child, "state")) + "\n";
  const auto& obstacles = array_in(child, "obstacles");
  for (const boost::json::value& obstacle : obstacles) {
    if (obstacle.is_object()) out += obstacle_lines(obstacle.get_object(), screen, now);
  }
  if (obstacles.empty()) out += "  what that is doing: drover why " + run + "\n";
  return out;
}

std::string page(const object& why, const Screen& screen, std::span<const PhaseView> phases,
                 WallMs now) {
  const PhaseView* view = phase_view_of(phases, why);
  const std::string state = text_in(why, "state");
  std::string out = screen.paint(Color::bold, clean(text_in(why, "run_id"))) + " is " +
                    screen.paint(color_of(why), state) + "\n";
  if (why.contains("end")) {
    const std::string phase = view == nullptr ? "" : view->line(object_in(why, view->field));
    return out + (phase.empty() ? "" : "  " + phase + "\n") + end_lines(object_in(why, "end"));
  }
  if (why.contains("child")) return out + composite_lines(why, view, screen, now);
  const auto& obstacles = array_in(why, "obstacles");
  for (const boost::json::value& obstacle : obstacles) {
    if (obstacle.is_object()) out += obstacle_lines(obstacle.get_object(), screen, now);
  }
  if (state != "queued") {
    const object& diagnosis = object_in(why, "diagnosis");
    if (diagnosis.empty() && !obstacles.empty()) return out;
    return out + diagnosis_lines(diagnosis, text_in(why, "run_id"), screen, now);
  }
  if (obstacles.empty()) out += "  nothing stands in its way: it is about to start\n";
  if (const auto priority = number_in(why, "priority"); priority.value_or(0) != 0) {
    out += "  priority " + std::to_string(*priority) + "\n";
  }
  return out;
}

Result<int> why(Context& context, const Arguments& arguments) {
  int code = 0;
  for (const std::string& run : arguments.words) {
    const Result<object> answer = context.client.ask(wire::runs::why, {.segment = run});
    if (!answer) {
      const int failed = explain(answer.error(), context.screen, context.json);
      if (code == 0) code = failed;
      continue;
    }
    const std::string text =
        context.json ? json_text(*answer) + "\n"
                     : page(*answer, context.screen, context.phases, SystemClock{}.wall_ms());
    if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  }
  return code;
}

}  // namespace

const Command kWhy{
    .name = "why",
    .words = "RUN…",
    .help = "Say why a run is not running, what a running one is stuck at, or why it ended.",
    .options = {},
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = why,
};

}  // namespace drover::cli
