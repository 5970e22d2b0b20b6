#include "cli/commands/play/play_view.h"

#include <algorithm>
#include <array>

#include "cli/fields.h"
#include "cli/views/output.h"
#include "cli/views/sheet.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "wire/play/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

using wire::play::PlayState;

constexpr size_t kLabel = wire::play::kValidation.size();  // The longest label.
static_assert(std::ranges::all_of(wire::play::kStages,
                                  [](std::string_view stage) { return stage.size() <= kLabel; }));

constexpr size_t kWide = 80;  // On narrower screens, times in the feed have no year.
constexpr size_t kYear = std::string_view("2026-").size();

Color color_of_source(std::string_view source) {
  if (source == wire::play::kBuild) return Color::blue;
  if (source == wire::play::kValidation) return Color::yellow;
  if (source == wire::play::kPack) return Color::green;
  return source == wire::play::kRuntime ? Color::bold : Color::dim;
}

std::string label(const Screen& screen, std::string_view source, Color color) {
  std::string out = cut(clean(source), kLabel);
  out.append(kLabel - std::min(kLabel, columns(out)), ' ');
  return screen.paint(color, out + " │") + " ";
}

Color color_of_severity(std::string_view severity) {
  if (severity == "error") return Color::red;
  return severity == "warning" ? Color::yellow : Color::dim;
}

std::optional<PlayState> state_in(const object& session) {
  return wire::play::session_state_named(text_in(session, "state"));
}

// The state, and what else the play says about it.
std::string say_entry(const object& entry) {
  const std::string state = say_state(entry);
  const std::string message = text_in(entry, "message");
  return message.empty() || message == state ? state : state + "; " + message;
}

}  // namespace

std::string log_line(const Screen& screen, const object& entry) {
  const std::string source = text_in(entry, "source");
  const std::string severity = text_in(entry, "severity");
  if (source == "play") {
    return play_line(screen, text_in(entry, "text"), color_of_severity(severity));
  }
  std::string text = bytes_of(entry).value_or("");
  const bool found = entry.contains("diagnostic");
  // A log line is printed unchanged. A diagnostic was decoded from JSON and may contain anything:
  // make it one clean line.
  if (found) text = clean(text);
  if (text.ends_with('\r')) text.pop_back();
  // Reset the colors that the line left on, so that they do not affect the next label.
  if (text.find('\x1b') != std::string::npos && screen.output_is_terminal()) text += "\x1b[0m";
  std::string out = label(screen, source, color_of_source(source));
  if (found) {
    out += screen.paint(color_of_severity(severity), severity + ":") + " ";
  }
  return out + text + "\n";
}

std::string play_line(const Screen& screen, std::string_view text, Color color) {
  return label(screen, "play", color) + screen.paint(color, clean(text)) + "\n";
}

std::string say_state(const object& session) {
  const auto state = state_in(session);
  if (!state) return text_in(session, "state");
  switch (*state) {
    case PlayState::idle:
      return "not played yet";
    case PlayState::preparing:
      return "preparing";
    case PlayState::connecting:
      return "prepared; starting the runtime";
    case PlayState::running:
      return "the runtime is running";
    case PlayState::stopped: {
      const std::string message = text_in(session, "message");
      return message.empty() ? "stopped" : message;
    }
    case PlayState::prepare_failed:
    case PlayState::runtime_failed:
      return text_in(session, "message");
  }
  return "";
}

Color color_of_session(const object& session) {
  const auto state = state_in(session);
  if (!state) return Color::none;
  if (*state == PlayState::prepare_failed || *state == PlayState::runtime_failed) {
    return Color::red;
  }
  return wire::play::is_at_rest(*state) ? Color::dim : Color::green;
}

bool is_at_rest(const object& session) {
  const auto state = state_in(session);
  return state && wire::play::is_at_rest(*state);
}

std::string session_line(const object& session) {
  std::string out = text_in(session, "state");
  for (const char* key : {"step", "code"}) {
    if (const std::string text = text_in(session, key); !text.empty()) out += " · " + text;
  }
  return clean(out);
}

object session_of(const object& record) {
  object session = object_in(record, "session");
  for (const char* key : {"step", "code", "message"}) session.emplace(key, nullptr);
  const std::string runtime = text_in(object_in(session, "runs"), wire::play::kRuntime);
  session["runtime_run_id"] =
      runtime.empty() ? boost::json::value(nullptr) : boost::json::value(runtime);
  for (const char* key : {"run_id", "exit_code", "signal", "started_at", "finished_at"}) {
    const auto* value = record.if_contains(key);
    session[key] = value == nullptr ? boost::json::value(nullptr) : *value;
  }
  return session;
}

std::string feed_table(const Screen& screen, const boost::json::array& entries) {
  Table table({"TIME", "STATE", "STEP", "WHAT", "PLAY"}, 3);
  table.may_cut(1, 14);  // The longest known state.
  table.keep_readable(24);
  table.may_leave_out(4);
  table.may_leave_out(2);  // The event already names the step.
  for (const boost::json::value& value : entries) {
    if (!value.is_object()) continue;
    const object& entry = value.get_object();
    const std::string step = text_in(entry, "step");
    const auto at = parse_rfc3339(text_in(entry, "time"));
    std::string time = at ? say_local(*at) : "-";
    if (at && screen.width() < kWide) time.erase(0, kYear);
    table.add({{std::move(time)},
               {text_in(entry, "state"), color_of_session(entry)},
               {step.empty() ? "-" : step},
               {say_entry(entry)},
               {text_in(entry, "run_id")}});
  }
  return table.text(screen);
}

std::string session_page(const Screen& screen, const object& session) {
  Sheet sheet(screen, 0, 9);
  sheet.line("project", text_in(session, "project"), Color::bold);
  sheet.line("state", text_in(session, "state"), color_of_session(session));
  sheet.line("play", text_in(session, "run_id"));
  for (const char* key : {"step", "code", "message"}) sheet.line(key, text_in(session, key));
  sheet.line("runtime", text_in(session, "runtime_run_id"));
  for (const boost::json::value& obstacle : array_in(session, "obstacles")) {
    if (obstacle.is_object()) sheet.line("waits", text_in(obstacle.get_object(), "text"));
  }
  if (const auto code = number_in(session, "exit_code")) sheet.line("exit", std::to_string(*code));
  if (const auto signal = number_in(session, "signal")) {
    sheet.line("signal", say_signal(static_cast<int>(*signal)));
  }
  for (const auto& [name, key] :
       {std::pair("started", "started_at"), std::pair("finished", "finished_at")}) {
    if (const auto at = parse_rfc3339(text_in(session, key))) sheet.line(name, say_local(*at));
  }
  return sheet.take();
}

}  // namespace drover::cli
