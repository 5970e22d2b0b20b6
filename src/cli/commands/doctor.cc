// drover doctor: is everything in place? From outside, so that it works when nothing else does.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cerrno>
#include <cstring>

#include "cli/client/launch_daemon.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/table.h"
#include "wire/errors.h"
#include "wire/operations/daemon.h"

namespace drover::cli {
namespace {

constexpr auto kOptions = std::to_array<Option>({
    {"verify", 0, Takes::nothing, "", "check every record, event and directory of the store"},
});

struct Finding {
  std::string what;
  bool good = true;
  std::string detail;
  bool noteworthy = false;  // Nothing is wrong, and somebody may want it otherwise.
};

// Only its owner may look into it: sockets, environments and output are in there.
Finding check_directory(const std::string& what, const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return {what, true, path + " is not there yet; the daemon makes it"};
    return {what, false, path + ": " + ::strerrordesc_np(errno)};
  }
  if (!S_ISDIR(info.st_mode)) return {what, false, path + " is not a directory"};
  if (info.st_uid != ::geteuid()) return {what, false, path + " belongs to another user"};
  if ((info.st_mode & 077) != 0) {
    return {what, false, path + " is open to others; chmod 700 " + path};
  }
  return {what, true, path};
}

Finding check_program(const std::string& name) {
  const std::string path = beside(name);
  const bool there = ::access(path.c_str(), X_OK) == 0;
  return {name, there, there ? path : path + " is not there, or not executable"};
}

Finding check_database(const Home& home) {
  const std::string path = home.database();
  if (::access(path.c_str(), R_OK | W_OK) == 0) return {"database", true, path};
  if (errno == ENOENT) return {"database", true, path + " is not there yet; the daemon makes it"};
  return {"database", false, path + ": " + ::strerrordesc_np(errno)};
}

Finding check_socket(const Home& home) {
  struct stat info{};
  const std::string path = home.socket();
  if (::lstat(path.c_str(), &info) != 0) return {"socket", true, "none; no daemon is running"};
  if (!S_ISSOCK(info.st_mode)) return {"socket", false, path + " is not a socket; remove it"};
  if ((info.st_mode & 077) != 0) return {"socket", false, path + " is open to others"};
  return {"socket", true, path};
}

// A bad file keeps the daemon from starting and anybody from running anything.
Finding check_settings(const Context& context) {
  if (!context.settings) return {"settings", false, context.settings.error().message};
  const std::string path = config::Settings::path(context.home);
  const bool there = ::access(path.c_str(), F_OK) == 0;
  return {"settings", true, there ? path : "no " + path + "; all is as it comes"};
}

Finding check_daemon(const Result<boost::json::object>& status) {
  if (status) {
    const std::string version = text_in(*status, "version");
    const std::string text =
        "answers, pid " + std::to_string(number_in(*status, "pid").value_or(0)) + ", " + version;
    if (version == DROVER_VERSION) return {"daemon", true, text};
    return {"daemon", false, text + ", but this is drover " DROVER_VERSION "; restart it"};
  }
  if (status.error().reason == "no_daemon") return {"daemon", true, "not running"};
  if (status.error().reason == "forbidden") {
    return {"daemon", true, "answers; its status is not for the token in DROVER_TOKEN"};
  }
  return {"daemon", false, status.error().message};
}

// "memory by cgroup, cpus and pids by nothing: there is no cgroup v2": a wish that nobody holds
// must not look like a limit.
Finding check_limits(const boost::json::object& status) {
  const boost::json::object& limits = object_in(status, "limits");
  const std::string why = text_in(limits, "no_cgroups");
  std::string text;
  bool all = true;
  for (const char* name : {"memory", "cpus", "pids"}) {
    const std::string by = text_in(limits, name);
    if (by.empty()) return {"limits", true, "this daemon does not say what holds them"};
    all = all && by == "cgroup";
    text += (text.empty() ? "--" : ", --") + std::string(name) + " by " +
            (by == "none"     ? "nothing"
             : by == "rlimit" ? "rlimit, for each process on its own"
                              : by);
  }
  if (all) return {"limits", true, text};
  return {"limits", true, text + (why.empty() ? "" : ": " + why) + "; docs/run.md says what would",
          true};
}

// One finding for each: a stopped follower waits for a person.
void check_followers(const boost::json::object& status, std::vector<Finding>& findings) {
  for (const boost::json::value& value : array_in(status, "followers")) {
    if (!value.is_object()) continue;
    const boost::json::object& follower = value.get_object();
    const std::string name = text_in(follower, "name");
    const std::string stopped_at = text_in(follower, "stopped_at");
    if (stopped_at.empty()) {
      findings.push_back({"follower", true, name});
      continue;
    }
    findings.push_back({"follower", false,
                        name + " stopped at event " + stopped_at + ": " +
                            text_in(follower, "reason") + "; `drover follower resume " + name +
                            "` tries it again, `drover follower skip " + name + "` leaves it out"});
  }
}

// droverd reads the store by itself and prints its own report.
Result<int> verify(bool json) {
  const std::string program = beside("droverd");
  const char* last = json ? "--json" : nullptr;
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("cannot fork", errno);
  if (child == 0) {
    ::execl(program.c_str(), "droverd", "--verify", last, nullptr);
    ::_exit(wire::exit_code::kProgramNotFound);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail_errno("cannot wait for " + program, errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr size_t kMark = 5;  // "ok   ".
constexpr size_t kIndent = 20;

std::string report(const std::vector<Finding>& findings, const Context& context) {
  if (context.json) {
    boost::json::array checks;
    bool good = true;
    for (const Finding& finding : findings) {
      checks.push_back({{"check", finding.what}, {"ok", finding.good}, {"detail", finding.detail}});
      good = good && finding.good;
    }
    return json_text(boost::json::object{{"ok", good}, {"checks", checks}}) + "\n";
  }
  std::string out;
  for (const Finding& finding : findings) {
    out += !finding.good        ? context.screen.paint(Color::red, "bad  ")
           : finding.noteworthy ? context.screen.paint(Color::yellow, "note ")
                                : context.screen.paint(Color::green, "ok   ");
    std::string what = finding.what;
    what.resize(std::max(what.size(), kIndent - kMark), ' ');
    out += what;
    const size_t width = context.screen.width();
    const auto lines = wrap(clean(finding.detail), width - std::min(width, kIndent));
    for (size_t i = 0; i < lines.size(); ++i) {
      out += (i == 0 ? "" : std::string(kIndent, ' ')) + lines[i] + "\n";
    }
  }
  return out;
}

Result<int> doctor(Context& context, const Arguments& arguments) {
  // With --verify the report is the verifier's alone: one command, one JSON object.
  if (arguments.has("verify")) return verify(context.json);
  const Result<boost::json::object> status = context.client.ask(wire::daemon::status, {});
  std::vector<Finding> findings{check_directory("config", context.home.config),
                                check_settings(context),
                                check_directory("state", context.home.state),
                                check_directory("runtime", context.home.runtime),
                                check_program("droverd"),
                                check_program("drover-keeper"),
                                check_database(context.home),
                                check_socket(context.home),
                                check_daemon(status)};
  if (status) findings.push_back(check_limits(*status));
  if (status) check_followers(*status, findings);
  if (auto ok = context.screen.print(report(findings, context)); !ok) {
    return std::unexpected(ok.error());
  }
  for (const Finding& finding : findings) {
    if (!finding.good) return 1;
  }
  return 0;
}

}  // namespace

const Command kDoctor{
    .name = "doctor",
    .words = {},
    .help =
        "Check that everything is in place: directories, settings, programs, socket, daemon, "
        "limits.",
    .options = kOptions,
    .daemon = Daemon::never_start,
    .run = doctor,
};

}  // namespace drover::cli
