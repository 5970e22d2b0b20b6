#include "cli/views/why_view.h"

#include <algorithm>

#include "cli/fields.h"
#include "cli/views/diagnosis_view.h"
#include "cli/views/progress_view.h"
#include "cli/views/run_view.h"
#include "cli/views/sheet.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

// "is queued", "failed", "was canceled": the state as a verb.
std::string_view verb_of(const object& why) {
  switch (state_of(why).value_or(wire::RunState::queued)) {
    case wire::RunState::completed:
    case wire::RunState::failed:
    case wire::RunState::timed_out:
      return " ";
    case wire::RunState::canceled:
    case wire::RunState::abandoned:
      return " was ";
    default:
      return " is ";
  }
}

std::string line(const Screen& screen, std::string_view text, size_t indent = 2) {
  return text.empty() ? "" : indented(text, indent, screen.width(), Color::none, screen);
}

std::string obstacle_lines(const object& obstacle, const Screen& screen, WallMs now) {
  std::string text = text_in(obstacle, "text");
  if (const auto since = parse_rfc3339(text_in(obstacle, "since"))) {
    text += " (since " + say_local(*since) + ", " + say_elapsed(now - *since) + ")";
  }
  if (const auto until = parse_rfc3339(text_in(obstacle, "until"))) {
    text += " (at " + say_local(*until) + ")";
  }
  const boost::json::array& runs = array_in(obstacle, "runs");
  if (text_in(obstacle, "kind") == "dependency" && !runs.empty() && runs.front().is_string()) {
    text += "; `drover why " + std::string(runs.front().get_string()) + "` says how far it is";
  }
  std::string out = bullet(screen, Color::yellow, text);
  if (text_in(obstacle, "kind") != "lane_full") return out;
  for (const boost::json::value& run : array_in(obstacle, "runs")) {
    if (run.is_string()) out += line(screen, run.get_string(), 6);
  }
  return out;
}

std::string all_obstacles(const boost::json::array& obstacles, const Screen& screen, WallMs now) {
  std::string out;
  for (const boost::json::value& obstacle : obstacles) {
    if (obstacle.is_object()) out += obstacle_lines(obstacle.get_object(), screen, now);
  }
  return out;
}

// The commands to continue with after a failure. A command that was not launched printed nothing.
std::string next_lines(const std::string& run, bool was_launched, const Screen& screen) {
  const std::string logs = was_launched ? "`drover logs " + run + "` prints its output, " : "";
  return line(screen, logs + "`drover retry " + run + "` runs it again");
}

std::string end_lines(const object& end, const Screen& screen) {
  std::string how = text_in(end, "reason");
  if (const auto code = number_in(end, "exit_code")) how += " · exit " + std::to_string(*code);
  if (const auto signal = number_in(end, "signal")) {
    how += " · " + say_signal(static_cast<int>(*signal));
  }
  // The message of these reasons is the code or the signal.
  const std::string reason = text_in(end, "reason");
  const std::string message = text_in(end, "message");
  const bool same = !message.empty() && (reason == "exit_nonzero" || reason == "signaled");
  std::string out =
      (same ? "" : line(screen, how)) + line(screen, message) + line(screen, receipt_line(end));
  const std::string next = text_in(end, "retried_by");
  if (!next.empty()) out += line(screen, "retried as " + next);
  return out;
}

// A composite runs no command itself: names its current child and the command to ask about it.
std::string composite_lines(const object& why, const PhaseView* view, const Screen& screen,
                            WallMs now) {
  const object& child = object_in(why, "child");
  std::string out, what = "child";
  if (view != nullptr) {
    const object& phase = object_in(why, view->field);
    out = line(screen, view->sentence(phase));
    what = clean(view->child(phase));
  }
  if (child.empty()) return out + line(screen, "its next run is about to be submitted");
  const std::string run = text_in(child, "run_id");
  out += line(screen, "its " + what + " is " + run + ", " + text_in(child, "state"));
  const auto& obstacles = array_in(child, "obstacles");
  if (obstacles.empty()) return out + line(screen, "`drover why " + run + "` says more about it");
  return out + all_obstacles(obstacles, screen, now);
}

}  // namespace

std::string why_page(const object& why, const Screen& screen, std::span<const PhaseView> phases,
                     WallMs now) {
  const PhaseView* view = phase_view_of(phases, why);
  const std::string state = text_in(why, "state");
  std::string word = clean(state);
  std::ranges::replace(word, '_', ' ');
  std::string out = screen.paint(Color::bold, clean(text_in(why, "run_id")))
                        .append(verb_of(why))
                        .append(screen.paint(color_of(why), word)) +
                    "\n";
  if (why.contains("end")) {
    const std::string phase = view == nullptr ? "" : view->line(object_in(why, view->field));
    const object& end = object_in(why, "end");
    out += line(screen, phase) + end_lines(end, screen);
    const bool failed = state != "completed" && state != "canceled";
    const bool launched = text_in(end, "reason") != "launch_failed";
    const bool is_last = text_in(end, "retried_by").empty() && view == nullptr;
    return failed && is_last ? out + next_lines(text_in(why, "run_id"), launched, screen) : out;
  }
  if (why.contains("child")) return out + composite_lines(why, view, screen, now);
  const std::string obstacles = all_obstacles(array_in(why, "obstacles"), screen, now);
  if (state != "queued") {
    const std::string progress = progress_line(object_in(why, "progress"), now);
    if (!progress.empty()) out += line(screen, "it reported " + progress);
    out += obstacles;
    const object& diagnosis = object_in(why, "diagnosis");
    if (diagnosis.empty() && !obstacles.empty()) return out;
    return out + diagnosis_lines(diagnosis, text_in(why, "run_id"), screen, now);
  }
  out += obstacles.empty() ? line(screen, "it waits for nothing and is about to start") : obstacles;
  if (const auto priority = number_in(why, "priority"); priority.value_or(0) != 0) {
    out += line(screen, "priority " + std::to_string(*priority));
  }
  return out;
}

}  // namespace drover::cli
