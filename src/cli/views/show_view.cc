#include "cli/views/show_view.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/fields.h"
#include "cli/plan.h"
#include "cli/removed.h"
#include "cli/resource_limits.h"
#include "cli/views/progress_view.h"
#include "cli/views/run_view.h"
#include "cli/views/sheet.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kIndent = 12;

std::string when(const object& run, std::string_view key, WallMs now) {
  const auto time = parse_rfc3339(text_in(run, key));
  if (!time) return "";
  return say_local(*time, true) + " (" + say_distance(*time, now) + ")";
}

std::string state_line(const object& run) {
  std::string out = text_in(run, "state");
  if (const std::string reason = text_in(run, "reason"); !reason.empty()) out += " · " + reason;
  if (const auto code = number_in(run, "exit_code")) out += fmt::format(" · exit {}", *code);
  if (const auto signal = number_in(run, "signal")) {
    out += " · " + say_signal(static_cast<int>(*signal));
  }
  const bool asked = flag_in(run, "cancel_requested") && !has_ended(run);
  return asked ? out + " · cancel requested" : out;
}

std::string launch_line(const object& run) {
  const std::string step = text_in(run, "launch_step");
  return step.empty() ? "" : "failed at " + step + " · " + text_in(run, "launch_error");
}

// Output is counted when the run finishes. Before that there is the last progress, if any.
std::string output_line(const object& run, WallMs now) {
  const std::int64_t out = number_in(run, "stdout_bytes").value_or(0);
  const std::int64_t err = number_in(run, "stderr_bytes").value_or(0);
  if (out + err == 0 && !has_ended(run)) {
    const object& growth = object_in(object_in(run, "progress"), "output");
    const auto at = parse_rfc3339(text_in(growth, "at"));
    return at ? say_growth(growth) + " (" + say_distance(*at, now) + ")" : "";
  }
  const std::string missing = missing_output(run);
  return "stdout " + say_bytes(out) + " · stderr " + say_bytes(err) +
         (missing.empty() ? "" : " · " + missing);
}

std::string timeout_line(const object& run) {
  const auto timeout = number_in(run, "timeout_ms");
  const auto idle = number_in(run, "idle_timeout_ms");
  std::string out = timeout ? say_duration(*timeout) : "";
  if (idle) out += (out.empty() ? "" : " · ") + say_duration(*idle) + " without output";
  return out;
}

std::string pairs_line(const object& pairs) {
  std::string out;
  for (const auto& [name, value] : pairs) {
    out += (out.empty() ? "" : " ") + std::string(name) + "=";
    if (value.is_string()) out += value.get_string();
  }
  return out;
}

std::string runs_line(const object& run, std::string_view key) {
  std::string out;
  for (const boost::json::value& id : array_in(run, key)) {
    if (id.is_string()) out += (out.empty() ? "" : " ") + std::string(id.get_string());
  }
  return out;
}

}  // namespace

std::string attempts_page(const boost::json::array& attempts, const object& run,
                          const Screen& screen, WallMs now) {
  std::string out;
  for (const boost::json::value& value : attempts) {
    if (!value.is_object()) continue;
    const object& attempt = value.get_object();
    const bool here = text_in(attempt, "run_id") == text_in(run, "run_id");
    const std::string wait = say_wait(attempt, now);
    const std::string number = std::to_string(number_in(attempt, "attempt").value_or(1));
    Sheet sheet(screen, kIndent - 3 - std::min<size_t>(number.size(), kIndent - 3), kIndent - 2);
    std::string line = text_in(attempt, "run_id") + " " + state_line(attempt);
    if (!wait.empty()) line += " · " + wait;
    sheet.line(number, line, here ? Color::bold : Color::none);
    out.insert(0, sheet.take());
  }
  return screen.paint(Color::dim, "attempts") + "\n" + out;
}

std::string show_page(const object& run, const Screen& screen, std::span<const PhaseView> phases,
                      WallMs now) {
  Sheet sheet(screen, 2, kIndent);
  sheet.head(text_in(run, "run_id"));
  sheet.line("name", text_in(run, "name"));
  sheet.line("command", command_of(run), Color::bold);
  sheet.line("state", state_line(run), color_of(run));
  sheet.line("launch", launch_line(run), Color::red);
  if (text_in(run, "reason") != "exit_zero") sheet.line("message", text_in(run, "message"));
  sheet.line("progress", progress_line(object_in(run, "progress"), now));
  if (const PhaseView* view = phase_view_of(phases, run)) {
    const object& phase = object_in(run, view->field);
    sheet.line(view->title, view->line(phase), view->color(phase));
    for (const auto& [what, id] : view->children(phase)) {
      if (id.is_string()) sheet.line("", std::string(id.get_string()) + " " + std::string(what));
    }
  }
  sheet.line("directory", text_in(run, "cwd"));
  if (const object& pty = object_in(run, "pty"); !pty.empty()) {
    sheet.line("terminal", fmt::format("{} × {}", number_in(pty, "cols").value_or(0),
                                       number_in(pty, "rows").value_or(0)));
  }
  sheet.line("lane", text_in(run, "lane"));
  if (const std::string scope = text_in(run, "scope"); scope != "default") {
    sheet.line("scope", scope);
  }
  sheet.line("labels", pairs_line(object_in(run, "labels")));
  if (const auto priority = number_in(run, "priority"); priority.value_or(0) != 0) {
    sheet.line("priority", std::to_string(*priority));
  }
  sheet.line("after", runs_line(run, "after"));
  sheet.line("after any", runs_line(run, "after_any"));
  sheet.line("waits", say_wait(run, now), Color::yellow);
  sheet.line("retry", say_retry(run));
  sheet.line("attempt", say_attempt(run));
  sheet.line("parent", text_in(run, "parent_run_id"));
  sheet.line("queued", when(run, "queued_at", now));
  sheet.line("started", when(run, "started_at", now));
  sheet.line("finished", when(run, "finished_at", now));
  if (const auto elapsed = elapsed_ms(run, now)) sheet.line("time", say_duration(*elapsed));
  sheet.line("timeout", timeout_line(run));
  if (const auto grace = number_in(run, "grace_ms")) sheet.line("grace", say_duration(*grace));
  sheet.line("limits", say_limits(run));
  sheet.line(has_ended(run) ? "used" : "uses", say_usage(run));
  sheet.line("output", output_line(run, now));
  sheet.line("receipt", receipt_line(run));
  sheet.line("trace", text_in(run, "trace_id"), Color::dim);
  return sheet.take();
}

std::string evidence_page(const object& status, const Screen& screen, WallMs now) {
  Sheet sheet(screen, 2, kIndent);
  sheet.head(text_in(status, "run_id"));
  sheet.line("state", say_status(status));
  sheet.line("message", text_in(object_in(status, "failure"), "message"));
  const object& source = object_in(status, "source");
  sheet.line("source", text_in(source, "kind") + " " + text_in(source, "id"));
  sheet.line("queued", when(status, "acknowledged_at", now));
  sheet.line("started", when(status, "launched_at", now));
  sheet.line("finished", when(status, "completed_at", now));
  sheet.line("trace", text_in(status, "trace_id"), Color::dim);
  return sheet.take();
}

}  // namespace drover::cli
