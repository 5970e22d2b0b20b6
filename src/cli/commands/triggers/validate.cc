// drover trigger validate: checks files that declare triggers.
#include <boost/json/parse.hpp>
#include <filesystem>

#include "cli/client/launch_daemon.h"
#include "cli/commands/triggers/commands.h"
#include "cli/commands/triggers/trigger_view.h"
#include "cli/context.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/program.h"
#include "cli/run_fields.h"
#include "cli/views/columns.h"
#include "cli/views/doctor_view.h"
#include "cli/views/output.h"
#include "cli/views/words.h"
#include "wire/errors.h"
#include "wire/triggers/operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

// droverd reads the files, as the daemon would; it starts none.
Result<object> check_files(const boost::json::array& paths) {
  const ProgramEnd ended =
      run_program({beside("droverd"), "--check-triggers", json_text(boost::json::value(paths))});
  boost::system::error_code bad;
  const boost::json::value report = boost::json::parse(ended.output, bad);
  if (ended.ok() && !bad && report.is_object()) return report.get_object();
  return fail(
      ErrorCode::unavailable, "no_check",
      "cannot check the files: " + (ended.output.empty() ? "droverd failed" : clean(ended.output)));
}

Result<int> validate(Context& context, const Arguments& arguments) {
  boost::json::array paths;
  for (const std::string& word : arguments.words) {
    auto path = absolute_directory(word);
    if (!path) return std::unexpected(path.error());
    if (auto ok = check_text(*path, "file"); !ok) return std::unexpected(ok.error());
    paths.emplace_back(std::filesystem::path(*path).lexically_normal().string());
  }
  const auto report = check_files(paths);
  if (!report) return std::unexpected(report.error());
  std::string text;
  bool good = true;
  for (const boost::json::value& value : array_in(*report, "files")) {
    if (!value.is_object()) continue;
    const object& file = value.get_object();
    const boost::json::array& problems = array_in(file, "problems");
    good = good && problems.empty();
    for (const boost::json::value& one : problems) {
      if (one.is_object()) text += problem_text(one.get_object()) + "\n";
    }
    if (problems.empty()) {
      text += clean(text_in(file, "file")) + ": " +
              say_count(number_in(file, "triggers").value_or(0), "trigger", "triggers") + "\n";
    }
  }
  if (context.json) text = json_text(*report) + "\n";
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return good ? 0 : wire::exit_code::kUsage;
}

// Without a daemon, only the files of triggers.d are known.
Result<boost::json::array> problems_without_daemon(const Home& home) {
  namespace fs = std::filesystem;
  boost::json::array paths;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(home.config + "/triggers.d", ignored)) {
    if (entry.path().extension() == ".toml") paths.emplace_back(entry.path().string());
  }
  if (paths.empty()) return boost::json::array{};
  const auto report = check_files(paths);
  if (!report) return std::unexpected(report.error());
  boost::json::array out;
  for (const boost::json::value& file : array_in(*report, "files")) {
    if (!file.is_object()) continue;
    for (const boost::json::value& one : array_in(file.get_object(), "problems")) {
      out.push_back(one);
    }
  }
  return out;
}

// The warnings of the daemon's triggers. Only a secret must be repaired here: a server may answer
// again, a directory may appear, and a tree that is polled works.
void add_warnings(const object& answer, std::vector<Finding>& out) {
  for (const boost::json::value& value : array_in(answer, "triggers")) {
    if (!value.is_object()) continue;
    const object& trigger = value.get_object();
    const std::string warning = text_in(trigger, "warning");
    if (warning.empty()) continue;
    const std::string type = text_in(object_in(trigger, "source"), "type");
    const bool is_note = type != "webhook";
    out.push_back({"triggers", is_note, text_in(trigger, "name") + ": " + clean(warning), is_note});
  }
}

// {"problems", "triggers"}.
Result<object> answer_of(Context& context, bool daemon_runs) {
  if (daemon_runs) return all_triggers(context);
  auto problems = problems_without_daemon(context.home);
  if (!problems) return std::unexpected(problems.error());
  return object{{"problems", std::move(*problems)}};
}

}  // namespace

std::vector<Finding> check_declared_triggers(Context& context, bool daemon_runs) {
  const auto answer = answer_of(context, daemon_runs);
  // A daemon without triggers, or a caller who may not list them.
  if (!answer) return {};
  std::vector<Finding> out;
  for (const boost::json::value& one : array_in(*answer, "problems")) {
    if (one.is_object()) out.push_back({"triggers", false, problem_text(one.get_object())});
  }
  if (out.empty()) {
    out.push_back({"triggers", true, "no file that declares triggers has a problem"});
  }
  add_warnings(*answer, out);
  return out;
}

const Command kTriggerValidate{
    .name = "trigger validate",
    .words = "FILE…",
    .group = Group::automation,
    .summary = "Check files that declare triggers",
    .help =
        "Check files that declare triggers: those of triggers.d, or the drover.toml of a "
        "project.\n\n"
        "Every problem is printed with its line and column, and the exit code is 2 if there is "
        "one. No daemon is needed, and nothing changes: the daemon reads the files by itself.",
    .examples = {{{"drover trigger validate ~/.config/drover/triggers.d/*.toml",
                   "Check your own triggers."},
                  {"drover trigger validate drover.toml", "Check those of a project."}}},
    .options = {},
    .words_min = 1,
    .words_max = kAnyNumber,
    .daemon = Daemon::never_start,
    .run = validate,
};

}  // namespace drover::cli
