#include "run/spec.h"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "base/lane_name.h"
#include "base/text.h"

namespace drover::run {
namespace {

bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

Result<> check_text(std::string_view text, size_t bytes_max, const char* param) {
  if (text.size() > bytes_max) {
    return fail_invalid(
        param, std::string(param) + " is longer than " + std::to_string(bytes_max) + " bytes");
  }
  if (has_nul(text)) return fail_invalid(param, std::string(param) + " contains a NUL byte");
  if (!is_utf8(text)) return fail_invalid(param, std::string(param) + " is not valid UTF-8");
  return {};
}

Result<> check_command(const Spec& spec) {
  if (!spec.shell.empty() && !spec.argv.empty()) {
    return fail_invalid("command", "give either command or shell, not both");
  }
  if (spec.shell.empty() && spec.argv.empty()) {
    return fail_invalid("command", "the command is empty; give the program and its arguments");
  }
  const std::vector<std::string> command = spec.command();
  if (command.front().empty()) return fail_invalid("command", "the program's name is empty");
  if (command.size() > limits::kArgumentsMax) {
    return fail_invalid(
        "command", "too many arguments: the maximum is " + std::to_string(limits::kArgumentsMax));
  }
  size_t total = 0;
  for (const std::string& argument : command) {
    if (has_nul(argument)) return fail_invalid("command", "an argument contains a NUL byte");
    if (argument.size() >= limits::kArgumentBytesMax) {
      return fail_invalid("command",
                          "an argument is longer than 128 KiB, the kernel's limit; put it into a "
                          "file or send it to standard input");
    }
    total += argument.size() + 1;
  }
  for (const auto& [name, value] : spec.env) {
    if (!is_variable_name(name)) {
      return fail_invalid("env", "\"" + name + "\" is not the name of an environment variable");
    }
    if (has_nul(value)) return fail_invalid("env", "the value of " + name + " contains a NUL byte");
    if (name.size() + value.size() + 2 >= limits::kArgumentBytesMax) {
      return fail_invalid("env", name + " is longer than 128 KiB, the kernel's limit");
    }
    total += name.size() + value.size() + 2;
  }
  if (spec.env.size() > limits::kEnvironmentMax) {
    return fail_invalid(
        "env", "too many variables: the maximum is " + std::to_string(limits::kEnvironmentMax));
  }
  if (total > limits::kSpecBytesMax) {
    return fail_invalid("command",
                        "command and environment together are larger than the kernel "
                        "accepts (2 MiB)");
  }
  return {};
}

Result<> check_durations(const Spec& spec) {
  for (const auto& [param, ms] :
       {std::pair("timeout", spec.timeout_ms), std::pair("idle_timeout", spec.idle_timeout_ms),
        std::pair("grace", spec.grace_ms)}) {
    if (ms < 0 || ms > limits::kDurationMaxMs) {
      return fail_invalid(param, std::string(param) + " must be between 0 and ten years");
    }
  }
  return {};
}

Result<> check_labels(const Spec& spec) {
  if (spec.labels.size() > limits::kLabelsMax) {
    return fail_invalid("labels",
                        "too many labels: the maximum is " + std::to_string(limits::kLabelsMax));
  }
  for (const auto& [name, value] : spec.labels) {
    if (name.empty() || !std::ranges::all_of(name, is_name_char)) {
      return fail_invalid("labels",
                          "a label's name may contain only letters, digits, '_', '-' and '.'");
    }
    for (const std::string& text : {name, value}) {
      if (auto ok = check_text(text, limits::kLabelBytesMax, "labels"); !ok) return ok;
    }
  }
  return {};
}

Result<> check_plan(const Spec& spec) {
  if (auto ok = validate_priority(spec.priority); !ok) return ok;
  if (spec.after.size() + spec.after_any.size() > limits::kDependenciesMax) {
    return fail_invalid("after", "a run can wait for at most " +
                                     std::to_string(limits::kDependenciesMax) +
                                     " others; add a run in between that waits for some of them");
  }
  if (spec.retry.max < 0 || spec.retry.max > limits::kRetriesMax) {
    return fail_invalid(
        "retry", "retry.max must be a number from 0 to " + std::to_string(limits::kRetriesMax));
  }
  if (spec.retry.backoff_ms < 0 || spec.retry.backoff_ms > limits::kBackoffMaxMs) {
    return fail_invalid(
        "retry", "retry.backoff must be between 0 and " + format_duration(limits::kBackoffMaxMs));
  }
  if (!std::ranges::all_of(spec.retry.on, is_retriable_state)) {
    return fail_invalid("retry", "retry.on accepts failed, timed_out and abandoned");
  }
  return {};
}

}  // namespace

std::vector<std::string> Spec::command() const {
  if (shell.empty()) return argv;
  return {"/bin/sh", "-c", shell};
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         name.find_first_of(std::string_view("=\0", 2)) == std::string_view::npos && is_utf8(name);
}

Result<TerminalSize> terminal_size(std::int64_t rows, std::int64_t columns) {
  for (const auto& [param, value, most] :
       {std::tuple("rows", rows, limits::kTerminalRowsMax),
        std::tuple("cols", columns, limits::kTerminalColumnsMax)}) {
    if (value >= 1 && value <= most) continue;
    return fail_invalid(param, "a terminal must have 1 to " + std::to_string(most) + " " + param);
  }
  return TerminalSize{.rows = static_cast<std::uint16_t>(rows),
                      .columns = static_cast<std::uint16_t>(columns)};
}

Result<> validate_scope(std::string_view scope) {
  if (auto ok = check_text(scope, limits::kScopeBytesMax, "scope"); !ok) return ok;
  const bool parts = !scope.empty() && scope.front() != '/' && scope.back() != '/' &&
                     scope.find("//") == std::string_view::npos;
  const bool chars = std::ranges::all_of(scope, [](char c) { return is_name_char(c) || c == '/'; });
  if (!parts || !chars) {
    return fail_invalid("scope", "scope must be a path such as default or team/reports");
  }
  if (std::ranges::count(scope, '/') >= limits::kScopePartsMax) {
    return fail_invalid("scope", "scope has too many parts: the maximum is " +
                                     std::to_string(limits::kScopePartsMax));
  }
  return {};
}

Result<> validate_lane(std::string_view lane) {
  if (is_lane_name(lane)) return {};
  return fail_invalid("lane", "a lane's name must have " + std::string(kLaneNameRule));
}

Result<> validate_priority(std::int64_t priority) {
  if (priority >= -limits::kPriorityMax && priority <= limits::kPriorityMax) return {};
  const std::string bound = std::to_string(limits::kPriorityMax);
  return fail_invalid("priority", "priority must be a number from -" + bound + " to " + bound);
}

Result<> validate(const Spec& spec) {
  if (auto ok = check_command(spec); !ok) return ok;
  if (auto ok = check_labels(spec); !ok) return ok;
  if (auto ok = check_durations(spec); !ok) return ok;
  if (auto ok = check_plan(spec); !ok) return ok;
  if (auto ok = validate_limits(spec.limits); !ok) return ok;
  if (auto ok = validate_scope(spec.scope); !ok) return ok;
  if (auto ok = validate_lane(spec.lane); !ok) return ok;
  if (auto ok = check_text(spec.name, limits::kNameBytesMax, "name"); !ok) return ok;
  if (spec.name.starts_with('@')) {
    return fail_invalid("name",
                        "name must not begin with @: @last and @failed stand for other runs");
  }
  if (auto ok = check_text(spec.key, limits::kKeyBytesMax, "key"); !ok) return ok;
  if (spec.cwd.empty() || spec.cwd.front() != '/' || spec.cwd.size() >= limits::kPathBytesMax ||
      has_nul(spec.cwd)) {
    return fail_invalid("cwd", "cwd must be an absolute path");
  }
  return {};
}

}  // namespace drover::run
