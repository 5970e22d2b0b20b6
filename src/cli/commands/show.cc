// drover show: all that is known of a run.
#include <fmt/core.h>

#include <algorithm>

#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/plan.h"
#include "cli/removed.h"
#include "cli/resource_limits.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kIndent = 12;

class Sheet {
 public:
  explicit Sheet(const Screen& screen) : screen_(screen) {}
  void line(std::string_view title, std::string_view text, Color color = Color::none) {
    if (text.empty()) return;
    out_ += screen_.paint(Color::dim, fmt::format("  {:<{}}", title, kIndent - 2));
    out_ += screen_.paint(color, clean(text)) + "\n";
  }
  // Words are for reading: they go on below themselves. A command or a path stays one line, which
  // can be copied.
  void prose(std::string_view title, std::string_view text, Color color = Color::none) {
    const size_t width = screen_.width();
    const auto lines = wrap(clean(text), width - std::min(width, kIndent));
    for (size_t i = 0; i < lines.size(); ++i) line(i == 0 ? title : "", lines[i], color);
  }
  void head(std::string_view text) { out_ += screen_.paint(Color::bold, clean(text)) + "\n"; }
  std::string take() { return std::move(out_); }

 private:
  const Screen& screen_;
  std::string out_;
};

std::string when(const object& run, std::string_view key, WallMs now) {
  const auto time = parse_rfc3339(text_in(run, key));
  if (!time) return "";
  const std::string age = say_age(now - *time);
  return say_local(*time, true) + (age == "now" ? " (now)" : " (" + age + " ago)");
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

// Counted when the run ends: before that, nothing is not yet none.
std::string output_line(const object& run) {
  const std::int64_t out = number_in(run, "stdout_bytes").value_or(0);
  const std::int64_t err = number_in(run, "stderr_bytes").value_or(0);
  if (out + err == 0 && !has_ended(run)) return "";
  const std::string missing = missing_output(run);
  return "stdout " + say_bytes(out) + " · stderr " + say_bytes(err) +
         (missing.empty() ? "" : " · " + missing);
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

// The attempts of a run that was tried again, the oldest first.
std::string chain_lines(Context& context, const object& run, WallMs now) {
  const std::string first = text_in(run, "retry_of");
  if (first.empty() && text_in(run, "retried_by").empty()) return "";
  const Call call{.query = {{"chain", first.empty() ? text_in(run, "run_id") : first}}};
  const Result<object> page = context.client.ask(wire::runs::list, call);
  if (!page) return "";
  std::string out;
  for (const boost::json::value& value : array_in(*page, "runs")) {
    if (!value.is_object()) continue;
    const object& attempt = value.get_object();
    const bool here = text_in(attempt, "run_id") == text_in(run, "run_id");
    const std::string wait = say_wait(attempt, now);
    std::string line = fmt::format("  {:>7} {} {}", number_in(attempt, "attempt").value_or(1),
                                   text_in(attempt, "run_id"), state_line(attempt));
    if (!wait.empty()) line += " · " + wait;
    out.insert(0, context.screen.paint(here ? Color::bold : Color::none, clean(line)) + "\n");
  }
  return context.screen.paint(Color::dim, "attempts") + "\n" + out;
}

std::string page(const object& run, const Screen& screen, std::span<const PhaseView> phases,
                 WallMs now) {
  Sheet sheet(screen);
  sheet.head(text_in(run, "run_id"));
  sheet.line("name", text_in(run, "name"));
  sheet.line("command", command_of(run), Color::bold);
  sheet.line("state", state_line(run), color_of(run));
  sheet.prose("launch", launch_line(run), Color::red);
  if (text_in(run, "reason") != "exit_zero") sheet.prose("message", text_in(run, "message"));
  if (const PhaseView* view = phase_view_of(phases, run)) {
    const object& phase = object_in(run, view->field);
    sheet.line(view->field, view->line(phase), view->color(phase));
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
  sheet.prose("retry", say_retry(run));
  sheet.line("attempt", say_attempt(run));
  sheet.line("parent", text_in(run, "parent_run_id"));
  sheet.line("queued", when(run, "queued_at", now));
  sheet.line("started", when(run, "started_at", now));
  sheet.line("finished", when(run, "finished_at", now));
  if (const auto elapsed = elapsed_ms(run, now)) sheet.line("time", say_duration(*elapsed));
  sheet.prose("limits", say_limits(run));
  sheet.prose(has_ended(run) ? "used" : "uses", say_usage(run));
  sheet.prose("output", output_line(run));
  sheet.prose("receipt", receipt_line(run));
  sheet.line("trace", text_in(run, "trace_id"), Color::dim);
  return sheet.take();
}

Result<int> show(Context& context, const Arguments& arguments) {
  int code = 0;
  for (const std::string& id : arguments.words) {
    const Result<object> run =
        context.client.ask(wire::runs::get, {.segment = id, .query = {{"live", "true"}}});
    if (const auto left = run ? run : ask_for_removed(context, id, run.error()); !run && left) {
      const std::string line = context.json ? json_text(*left) : id + " " + say_removed(*left);
      if (auto ok = context.screen.print(line + "\n"); !ok) return std::unexpected(ok.error());
      continue;
    }
    if (!run) {
      const int failed = explain(run.error(), context.screen, context.json);
      if (code == 0) code = failed;
      continue;
    }
    const WallMs now = SystemClock{}.wall_ms();
    const std::string text = context.json ? json_text(*run) + "\n"
                                          : page(*run, context.screen, context.phases, now) +
                                                chain_lines(context, *run, now);
    if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  }
  return code;
}

}  // namespace

const Command kShow{
    .name = "show",
    .words = "RUN…",
    .help = "Show all that is known of a run.",
    .options = {},
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = show,
    .alias = "get",
};

}  // namespace drover::cli
