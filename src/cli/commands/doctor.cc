// drover doctor: checks the installation. It runs outside the daemon, so that it works when the
// daemon does not.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "base/home_lock.h"
#include "cli/client/launch_daemon.h"
#include "cli/client/living_processes.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/columns.h"
#include "cli/views/doctor_view.h"
#include "cli/views/words.h"
#include "config/listen_address.h"
#include "wire/errors.h"
#include "wire/operations/daemon.h"
#include "wire/operations/health.h"

namespace drover::cli {
namespace {

constexpr auto kOptions = std::to_array<Option>({
    {"verify", 0, Takes::nothing, "", "Check every record, event and directory of the store"},
});

// Sockets, environments and output are in the directory: only its owner may have access.
Finding check_directory(const std::string& what, const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return {what, true, path + " does not exist yet; the daemon creates it"};
    return {what, false, path + ": " + ::strerrordesc_np(errno)};
  }
  if (!S_ISDIR(info.st_mode)) return {what, false, path + " is not a directory"};
  if (info.st_uid != ::geteuid()) return {what, false, path + " belongs to another user"};
  if ((info.st_mode & 077) != 0) {
    return {what, false, path + " is accessible to other users; run chmod 700 " + path};
  }
  return {what, true, path};
}

Finding check_program(const std::string& name) {
  const std::string path = beside(name);
  const bool there = ::access(path.c_str(), X_OK) == 0;
  return {name, there, there ? path : path + " is missing or not executable"};
}

Finding check_database(const Home& home) {
  const std::string path = home.database();
  if (::access(path.c_str(), R_OK | W_OK) == 0) return {"database", true, path};
  if (errno == ENOENT && home_is_taken(home)) {
    return {"database", false,
            path +
                " was removed while the daemon runs; restart the daemon with `drover stop` and "
                "any other command: it takes up the runs from their files"};
  }
  if (errno == ENOENT)
    return {"database", true, path + " does not exist yet; the daemon creates it"};
  return {"database", false, path + ": " + ::strerrordesc_np(errno)};
}

Finding check_socket(const Home& home) {
  struct stat info{};
  const std::string path = home.socket();
  if (::lstat(path.c_str(), &info) != 0) {
    const auto holder = home_holder(home);
    if (!holder) return {"socket", true, "no socket: the daemon is not running"};
    return {"socket", false,
            path + " is missing, but the daemon (pid " + std::to_string(holder->pid) +
                ") runs; it creates the socket again as soon as it can create " + home.runtime};
  }
  if (!S_ISSOCK(info.st_mode)) return {"socket", false, path + " is not a socket; remove it"};
  if ((info.st_mode & 077) != 0) return {"socket", false, path + " is accessible to other users"};
  return {"socket", true, path};
}

// Settings that the daemon would refuse to start with. A running daemon may have been started with
// --insecure-listen.
Result<> check_listening(const config::Settings& settings, bool daemon_runs) {
  const auto text = settings.text("listen.address");
  if (!text) return {};
  const auto address = config::parse_listen(*text);
  if (!address) return std::unexpected(address.error());
  const std::string cert = settings.text("listen.tls_cert").value_or("");
  const std::string key = settings.text("listen.tls_key").value_or("");
  if (auto ok = config::check_tls_pair(cert, key); !ok) return ok;
  return config::check_exposure(*address, !cert.empty(), daemon_runs);
}

// An invalid file keeps the daemon and `run` from starting.
Finding check_settings(const Context& context, bool daemon_runs) {
  if (!context.settings) return {"settings", false, context.settings.error().message};
  if (auto ok = check_listening(*context.settings, daemon_runs); !ok) {
    return {"settings", false, "listen.address: " + ok.error().message};
  }
  const std::string path = config::Settings::path(context.home);
  const bool there = ::access(path.c_str(), F_OK) == 0;
  return {"settings", true,
          there ? path : path + " does not exist; all settings have their defaults"};
}

// Processes that outlived their runs. droverd looks for them, with or without a running daemon.
std::vector<Finding> check_processes() {
  const auto living = find_living_processes();
  if (!living) return {{"processes", false, living.error().message}};
  std::vector<Finding> findings;
  for (const boost::json::value& survivor : array_in(*living, "survivors")) {
    if (survivor.is_object()) {
      findings.push_back({"processes", false, text_in(survivor.get_object(), "problem")});
    }
  }
  if (findings.empty()) {
    findings.push_back({"processes", true, "no process of a finished run is alive"});
  }
  return findings;
}

// A daemon that answers may still be unable to run anything: it starts and ends a probe run.
Finding check_ready(Context& context) {
  const auto probed = context.client.ask(wire::daemon::probe, {.body = "{}"});
  if (probed) {
    const auto took = number_in(*probed, "took_ms");
    return {"ready", true,
            "a probe run started and finished" +
                (took ? " in " + std::to_string(*took) + " ms" : std::string())};
  }
  if (probed.error().reason != "forbidden") return {"ready", false, probed.error().message};
  // Anybody may ask this; the daemon may answer from a run that has just ended.
  const auto ready = context.client.call(wire::health::ready, {});
  return ready ? Finding{"ready", true, "a run started and finished in the last 30 s"}
               : Finding{"ready", false, ready.error().message};
}

// The space of the runs' files. Files that are removed meanwhile do not matter.
Finding measure_output(const Home& home) {
  namespace fs = std::filesystem;
  std::int64_t bytes = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(home.runs(), ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    struct stat info{};
    if (::lstat(it->path().c_str(), &info) == 0) bytes += std::int64_t{info.st_blocks} * 512;
  }
  return {"size: output", true, say_bytes(bytes) + "; bounded with the runs"};
}

// Runs droverd, which reads the store without a daemon and prints its own report.
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

std::string json_report(const std::vector<Finding>& findings) {
  boost::json::array checks;
  bool good = true;
  for (const Finding& finding : findings) {
    checks.push_back({{"check", finding.what}, {"ok", finding.good}, {"detail", finding.detail}});
    good = good && finding.good;
  }
  return json_text(boost::json::object{{"ok", good}, {"checks", checks}}) + "\n";
}

Result<int> doctor(Context& context, const Arguments& arguments) {
  // --verify prints only the verifier's report: one command, one JSON object.
  if (arguments.has("verify")) return verify(context.json);
  const Result<boost::json::object> status =
      context.client.ask(wire::daemon::status, {.query = {{"sizes", "true"}}});
  std::vector<Finding> findings{check_directory("config", context.home.config),
                                check_settings(context, status.has_value()),
                                check_directory("state", context.home.state),
                                check_directory("runtime", context.home.runtime),
                                check_program("droverd"),
                                check_program("drover-keeper"),
                                check_database(context.home),
                                check_socket(context.home)};
  std::ranges::move(check_processes(), std::back_inserter(findings));
  std::ranges::move(findings_of(status), std::back_inserter(findings));
  if (status) findings.push_back(check_ready(context));
  for (const Command* command : context.commands) {
    if (command->check == nullptr) continue;
    std::ranges::move(command->check(context, status.has_value()), std::back_inserter(findings));
  }
  findings.push_back(measure_output(context.home));
  const std::string text =
      context.json ? json_report(findings) : doctor_page(findings, context.screen);
  if (auto ok = context.screen.print(text); !ok) {
    return std::unexpected(ok.error());
  }
  for (const Finding& finding : findings) {
    if (!finding.good) return wire::exit_code::kProblemFound;
  }
  return 0;
}

}  // namespace

const Command kDoctor{
    .name = "doctor",
    .words = {},
    .group = Group::daemon,
    .summary = "Check the installation",
    .help =
        "Check directories, settings, programs, the socket, the daemon and the resource limits, "
        "and look for processes that outlived their runs.\n\n"
        "If the daemon is running, it also runs a probe, which leaves no record. If a check fails, "
        "the exit code is 1.",
    .examples = {{{"drover doctor", "Check the installation."},
                  {"drover doctor --verify", "Check every stored record too."}}},
    .options = kOptions,
    .daemon = Daemon::never_start,
    .run = doctor,
};

}  // namespace drover::cli
