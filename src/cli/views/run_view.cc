#include "cli/views/run_view.h"

#include <algorithm>
#include <cctype>

#include "cli/fields.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "wire/errors.h"

namespace drover::cli {
namespace {

using boost::json::object;

std::string quoted(std::string_view word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:=,+@%^").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

int launch_exit_code(const object& run) {
  if (text_in(run, "launch_step") != "exec") return wire::exit_code::kCouldNotRun;
  const std::string error = text_in(run, "launch_error");
  if (error == "ENOENT") return wire::exit_code::kProgramNotFound;
  if (error == "EACCES" || error == "ENOEXEC" || error == "EISDIR") {
    return wire::exit_code::kNotExecutable;
  }
  return wire::exit_code::kCouldNotRun;
}

}  // namespace

std::optional<wire::RunState> state_of(const object& run) {
  return wire::run_state_named(text_in(run, "state"));
}

bool has_ended(const object& run) {
  const std::optional<wire::RunState> state = state_of(run);
  return state && wire::is_finished(*state);
}

int exit_code_of(const object& run) {
  switch (state_of(run).value_or(wire::RunState::abandoned)) {
    case wire::RunState::timed_out:
      return wire::exit_code::kTimedOut;
    case wire::RunState::canceled:
      return wire::exit_code::kCanceled;
    case wire::RunState::completed:
    case wire::RunState::failed:
      break;
    default:
      return wire::exit_code::kCouldNotRun;
  }
  if (const auto code = number_in(run, "exit_code")) return static_cast<int>(*code);
  if (const auto signal = number_in(run, "signal")) return 128 + static_cast<int>(*signal);
  return launch_exit_code(run);  // Never success: nobody said that it exited.
}

Color color_of(const object& run) {
  switch (state_of(run).value_or(wire::RunState::abandoned)) {
    case wire::RunState::queued:
    case wire::RunState::starting:
      return Color::yellow;
    case wire::RunState::running:
      return Color::blue;
    case wire::RunState::completed:
      return Color::green;
    case wire::RunState::canceled:
      return Color::dim;
    default:
      return Color::red;
  }
}

std::string command_of(const object& run) {
  std::string line;
  for (const boost::json::value& word : array_in(run, "command")) {
    if (!line.empty()) line += ' ';
    if (word.is_string()) line += quoted(word.get_string());
  }
  return line;
}

std::string title_of(const object& run) {
  const std::string name = text_in(run, "name");
  const std::string kind = text_in(run, "kind");
  if (kind.empty() || kind == "command") return name.empty() ? command_of(run) : name;
  // The name of a run that a room asked for says little without what it belongs to. One that is
  // made of other runs stands in no lane.
  if (text_in(run, "lane").empty()) return kind + " " + name;
  const std::string scope = text_in(run, "scope");
  return scope.substr(scope.find('/') + 1) + ": " + name;
}

std::string ending_of(const object& run) {
  if (const auto code = number_in(run, "exit_code")) return std::to_string(*code);
  if (const auto signal = number_in(run, "signal")) return say_signal(static_cast<int>(*signal));
  return "-";
}

std::optional<std::int64_t> elapsed_ms(const object& run, WallMs now) {
  if (const auto known = number_in(run, "duration_ms")) return known;
  const auto started = parse_rfc3339(text_in(run, "started_at"));
  if (!started || has_ended(run)) return std::nullopt;
  return now - *started;
}

std::string epitaph(const object& run) {
  const std::string reason = text_in(run, "reason");
  if (reason == "exit_zero" || reason == "exit_nonzero") return "";
  std::string line = text_in(run, "state");
  std::ranges::replace(line, '_', ' ');
  if (reason == "canceled_by_owner") return line;  // Whoever reads it has just done so.
  if (const std::string message = text_in(run, "message"); !message.empty()) {
    line += ": " + clean(message);
  } else if (!reason.empty()) {
    line += " (" + reason + ")";
  }
  return line;
}

std::string receipt_line(const object& run) {
  const object& receipt = object_in(run, "receipt");
  if (receipt.empty()) return "";
  std::string out =
      say_count(number_in(receipt, "signalled").value_or(0), "process", "processes") + " signalled";
  if (!text_in(receipt, "term_at").empty()) out += " · TERM";
  if (!text_in(receipt, "kill_at").empty()) out += " · KILL";
  if (const auto n = number_in(receipt, "orphans"); n.value_or(0) > 0) {
    out += " · " + say_count(*n, "orphan", "orphans") + " swept";
  }
  if (const auto n = number_in(receipt, "survivors"); n.value_or(0) > 0) {
    out += " · " + say_count(*n, "survivor", "survivors");
    for (const auto& name : array_in(receipt, "survived")) {
      if (name.is_string()) out.append(" ").append(name.get_string());
    }
  }
  return out;
}

std::string missing_output(const object& run) {
  const auto missing = number_in(object_in(run, "receipt"), "dropped_bytes").value_or(0);
  if (missing == 0) return "";
  return say_bytes(missing) + " of its output are missing: the disk was full";
}

}  // namespace drover::cli
