#include "cli/commands/run_each.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/id.h"
#include "base/limits.h"
#include "base/number.h"
#include "cli/batch/each.h"
#include "cli/fields.h"
#include "cli/notify.h"
#include "cli/views/table.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

// The cores we may use: a container or taskset may allow fewer than the machine has.
size_t cores() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;
  return static_cast<size_t>(std::max(1, CPU_COUNT(&mine)));
}

Result<size_t> at_once(const std::optional<std::string>& text) {
  if (!text) return std::min(cores(), limits::kEachMax);
  const auto number = whole_number(*text);
  if (number && *number > 0 && static_cast<size_t>(*number) <= limits::kEachMax) {
    return static_cast<size_t>(*number);
  }
  return fail_invalid("jobs", "invalid --jobs \"" + clean(*text) + "\": use a number from 1 to " +
                                  std::to_string(limits::kEachMax));
}

Result<Fd> open_source(Context& context, const std::optional<std::string>& file) {
  if (!file || *file == "-") {
    if (::isatty(STDIN_FILENO) == 1) {
      context.screen.notice("type one input per line; Ctrl-D ends the list");
    }
    return Fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  }
  Fd fd(::open(file->c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    return fail_invalid("each-file", "--each-file: cannot open " + clean(*file) + ": " +
                                         std::generic_category().message(errno));
  }
  return fd;
}

// In a script the input is $1. As part of the text the shell would execute it: a file named "; rm
// -r ." must stay a name.
Result<> check_script(const std::vector<std::string>& words) {
  const auto says = [&](std::string_view what) {
    return std::ranges::any_of(
        words, [&](const std::string& word) { return word.find(what) != std::string::npos; });
  };
  if (!says("{}") || says("$1") || says("$@") || says("${1") || says("$*")) return {};
  return fail_invalid(
      "shell", "with --shell the input is not inserted into the script; write \"$1\" for {}");
}

// Resolves @last once for all runs: later it would be one of them.
Result<> settle_names(Context& context, boost::json::object& body) {
  for (const char* field : {"after", "after_any"}) {
    boost::json::value* names = body.if_contains(field);
    if (names == nullptr) continue;
    for (boost::json::value& name : names->as_array()) {
      const std::string text(name.as_string());
      if (RunId::parse(text)) continue;
      const auto found = context.client.ask(wire::runs::get, {.segment = text});
      if (!found) return std::unexpected(found.error());
      name = text_in(*found, "run_id");
    }
  }
  return {};
}

}  // namespace

Result<int> run_each(Context& context, const Arguments& arguments, boost::json::object body) {
  if (arguments.has("stdin")) {
    return fail_invalid("stdin", "--stdin cannot be combined with --each");
  }
  const bool shell = arguments.has("shell");
  if (shell) {
    if (auto ok = check_script(arguments.words); !ok) return std::unexpected(ok.error());
  }
  const auto chosen = context.settings ? context.settings->chosen("run.jobs") : std::nullopt;
  const auto typed = arguments.text("jobs");
  const Result<size_t> jobs = at_once(typed ? typed : chosen);
  if (!jobs) return std::unexpected(jobs.error());
  Result<Fd> source = open_source(context, arguments.text("each-file"));
  if (!source) return std::unexpected(source.error());
  if (auto ok = settle_names(context, body); !ok) return std::unexpected(ok.error());
  std::string lane = text_in(body, "lane");
  if (lane.empty()) lane = "default";
  body.erase("command");
  body.erase("shell");
  Interrupts interrupts;
  Each each(context, interrupts,
            {.jobs = {.shared = std::move(body),
                      .words = arguments.words,
                      .shell = shell,
                      .separator = arguments.has("null") ? '\0' : '\n',
                      .key = arguments.text("key").value_or("each-" + random_hex(32))},
             .detach = arguments.has("detach"),
             .at_once = *jobs,
             .source = std::move(*source),
             .lane = std::move(lane)});
  const Result<int> code = each.until_end();
  if (code && arguments.has("notify")) {
    notify("drover", "run --each " + arguments.words.front() +
                         (*code == 0 ? ": all completed" : ": not all completed"));
  }
  return code;
}

}  // namespace drover::cli
