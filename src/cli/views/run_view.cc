#include "cli/views/run_view.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/id.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/fields.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "wire/errors.h"

namespace drover::cli {
namespace {

using boost::json::object;

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

size_t short_id_width(const std::vector<std::string>& ids) {
  const std::set<std::string> all(ids.begin(), ids.end());
  for (size_t width = kShortId; width < RunId::kSize; ++width) {
    std::set<std::string> seen;
    for (const std::string& id : all) seen.insert(id.substr(0, width));
    if (seen.size() == all.size()) return width;
  }
  return RunId::kSize;
}

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
  const bool failed = state_of(run) == wire::RunState::failed;
  if (text_in(run, "reason") == "output_limit") return wire::exit_code::kCouldNotRun;
  if (const auto code = number_in(run, "exit_code")) {
    // Drover killed the run, but the command still exited with 0.
    if (failed && *code == 0) return wire::exit_code::kCouldNotRun;
    return static_cast<int>(*code);
  }
  if (const auto signal = number_in(run, "signal")) return 128 + static_cast<int>(*signal);
  return launch_exit_code(run);  // Never success: no exit code was reported.
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

std::string short_command_of(const object& run) {
  const boost::json::array& words = array_in(run, "command");
  const auto word = [&](size_t i) {
    return words[i].is_string() ? std::string_view(words[i].get_string()) : std::string_view();
  };
  const bool script = words.size() >= 3 && word(0) == "/bin/sh" && word(1) == "-c";
  if (!script) return command_of(run);
  std::string out(word(2));
  // After the script come its $0 and the input of --each.
  for (size_t i = 4; i < words.size(); ++i) {
    out += (i == 4 ? " · " : " ") + quoted(word(i));
  }
  return out;
}

std::string title_of(const object& run) {
  const std::string name = text_in(run, "name");
  const std::string kind = text_in(run, "kind");
  if (kind.empty() || kind == "command") return name.empty() ? short_command_of(run) : name;
  // The name of a room's run means little without the composite it belongs to. A composite itself
  // has no lane.
  if (text_in(run, "lane").empty()) return kind + " " + name;
  const std::string scope = text_in(run, "scope");
  return scope.substr(scope.find('/') + 1) + ": " + name;
}

std::string full_title_of(const object& run) {
  const std::string title = title_of(run);
  const std::string command = short_command_of(run);
  const std::string kind = text_in(run, "kind");
  const bool named = kind.empty() || kind == "command";
  return !named || command.empty() || command == title ? title : title + " · " + command;
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

std::string end_notice(const object& run) {
  const std::string reason = text_in(run, "reason");
  return reason == "exit_zero" || reason == "exit_nonzero" ? "" : say_end(run);
}

std::string say_end(const object& run) {
  const std::string reason = text_in(run, "reason");
  std::string line = text_in(run, "state");
  std::ranges::replace(line, '_', ' ');
  if (reason == "canceled_by_owner") return line;  // The reader canceled it.
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
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : " · ") + part; };
  if (const auto n = number_in(receipt, "signalled"); n.value_or(0) > 0) {
    add(say_count(*n, "process", "processes") + " signaled");
  }
  if (!text_in(receipt, "term_at").empty()) add("TERM");
  if (!text_in(receipt, "kill_at").empty()) add("KILL");
  if (const auto n = number_in(receipt, "orphans"); n.value_or(0) > 0) {
    add(say_count(*n, "orphan", "orphans") + " stopped");
  }
  if (const auto n = number_in(receipt, "survivors"); n.value_or(0) > 0) {
    add(say_count(*n, "survivor", "survivors"));
    std::string names;
    for (const auto& name : array_in(receipt, "survived")) {
      if (name.is_string()) names += " " + clean(name.get_string());
    }
    if (!names.empty()) out += ":" + names;
  }
  return out;
}

std::string missing_output(const object& run) {
  const object& receipt = object_in(run, "receipt");
  const auto missing = number_in(receipt, "dropped_bytes").value_or(0);
  if (missing <= 0) return "";
  const std::int64_t printed =
      number_in(run, "stdout_bytes").value_or(0) + number_in(run, "stderr_bytes").value_or(0);
  const auto limit = number_in(object_in(object_in(run, "limits"), "output"), "value");
  const bool rotated = printed > limit.value_or(static_cast<std::int64_t>(limits::kOutputBytesMax));
  const boost::json::value* drained = receipt.if_contains("drained");
  const bool in_pipe = drained != nullptr && drained->is_bool() && !drained->get_bool();
  // The keeper counts all lost bytes together, so every reason that may apply is named.
  std::string why;
  const auto add = [&](const char* reason) {
    why += (why.empty() ? "" : ", or ") + std::string(reason);
  };
  if (rotated) add("it printed more than its output limit");
  if (in_pipe) add("they were still in a pipe that another process kept open");
  if (!rotated) add("the disk was full");
  return grouped(static_cast<std::uint64_t>(missing)) + " bytes of its output are not kept: " + why;
}

std::string say_gap(const MissingBytes& missing) {
  std::string out = "… " + grouped(missing.not_kept) + " bytes not kept";
  if (missing.left_out > 0) {
    out += "; " + grouped(missing.left_out) + " bytes of cut lines not printed (--raw prints them)";
  }
  return out + " …";
}

std::uint64_t gap_bytes(const object& data) {
  const object gap = object_in(data, "gap");
  const std::int64_t from = number_in(gap, "from").value_or(0);
  return static_cast<std::uint64_t>(std::max(from, number_in(gap, "to").value_or(0)) - from);
}

}  // namespace drover::cli
