#include "cmd/daemon_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "cmd/daemon.h"
#include "cmd/daemon_arguments.h"
#include "config/settings.h"
#include "doctor/survivors.h"
#include "doctor/verify.h"
#include "log/log.h"
#include "wire/errors.h"

namespace drover {
namespace {

std::string directory_of_this_program() {
  char path[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string_view whole(path, n > 0 ? static_cast<size_t>(n) : 0);
  return std::string(whole.substr(0, whole.rfind('/')));
}

void tell(int fd, std::string_view line) {
  if (fd < 0) return;
  (void)write_all(fd, line);
  ::close(fd);
}

// Works beside a running daemon or without one. Exit code 1: a promise is broken.
Result<int> verify(bool json, RoomList rooms) {
  const auto home = Home::from_environment();
  if (!home) return std::unexpected(home.error());
  std::vector<doctor::SqlCheckSet> checks;
  for (const Room* room : rooms) {
    if (room->checks != nullptr) checks.push_back(*room->checks);
  }
  const auto report = doctor::verify(*home, checks);
  if (!report) return std::unexpected(report.error());
  const std::string text = json ? doctor::as_json(*report) + "\n" : doctor::as_text(*report);
  (void)write_all(STDOUT_FILENO, text);
  return report->clean() ? 0 : wire::exit_code::kProblemFound;
}

// For `drover doctor` and `drover stop --kill`: the living processes of runs, as JSON.
Result<int> tell_survivors() {
  const auto home = Home::from_environment();
  if (!home) return std::unexpected(home.error());
  const auto text = doctor::survivors_as_json(*home);
  if (!text) return std::unexpected(text.error());
  (void)write_all(STDOUT_FILENO, *text + "\n");
  return 0;
}

// Options on the command line win over the settings.
dispatch::RetentionRule retention(const config::Settings& settings,
                                  const DaemonArguments& arguments) {
  dispatch::RetentionRule rule;
  rule.count_max = settings.number("retention.count").value_or(rule.count_max);
  if (const auto age = settings.text("retention.age")) {
    rule.age_max_ms = parse_duration_ms(*age, "retention.age").value_or(rule.age_max_ms);
  }
  rule.count_max = arguments.retain_count.value_or(rule.count_max);
  rule.age_max_ms = arguments.retain_age_ms.value_or(rule.age_max_ms);
  if (arguments.retain_every_ms) rule.every = std::chrono::milliseconds(*arguments.retain_every_ms);
  return rule;
}

dispatch::CompactionRule compaction(const config::Settings& settings,
                                    const DaemonArguments& arguments) {
  dispatch::CompactionRule rule;
  const auto read = [&](const char* name, const std::optional<std::int64_t>& typed,
                        std::int64_t& out) {
    if (const auto age = settings.text(name)) out = parse_duration_ms(*age, name).value_or(out);
    out = typed.value_or(out);
  };
  read("retention.events", arguments.retain_events_ms, rule.events_ms);
  read("retention.keys", arguments.retain_keys_ms, rule.keys_ms);
  read("retention.evidence", arguments.retain_evidence_ms, rule.evidence_ms);
  if (arguments.retain_every_ms) rule.every = std::chrono::milliseconds(*arguments.retain_every_ms);
  return rule;
}

// The TCP address to listen on, if any. An address that would let strangers in is an error: better
// no daemon than one that silently does not listen.
Result<> read_listen(const config::Settings& settings, const DaemonArguments& arguments,
                     DaemonOptions& options) {
  const auto chosen = [&](const std::optional<std::string>& typed, const char* name) {
    return typed ? typed : settings.text(name);
  };
  const auto text = chosen(arguments.listen, "listen.address");
  if (!text) return {};
  auto address = config::parse_listen(*text);
  if (!address) return std::unexpected(address.error());
  options.tls_cert = chosen(arguments.tls_cert, "listen.tls_cert").value_or("");
  options.tls_key = chosen(arguments.tls_key, "listen.tls_key").value_or("");
  if (auto ok = config::check_tls_pair(options.tls_cert, options.tls_key); !ok) return ok;
  if (auto ok =
          config::check_exposure(*address, !options.tls_cert.empty(), arguments.insecure_listen);
      !ok) {
    return ok;
  }
  options.listen = std::move(*address);
  return {};
}

Result<int> serve(const DaemonArguments& arguments, RoomList rooms) {
  auto home = Home::from_environment();
  if (!home) return std::unexpected(home.error());
  const auto settings = config::Settings::load(*home);
  if (!settings) return std::unexpected(settings.error());
  DaemonOptions options{.home = *home,
                        .programs = directory_of_this_program(),
                        .retention = retention(*settings, arguments),
                        .compaction = compaction(*settings, arguments)};
  if (auto ok = read_listen(*settings, arguments, options); !ok) return std::unexpected(ok.error());
  // Our files are private; commands get the umask that we were started with.
  options.umask = ::umask(077);
  auto daemon = Daemon::open(std::move(options), rooms);
  if (!daemon) return std::unexpected(daemon.error());
  if (auto ran = (*daemon)->run([&] { tell(arguments.ready_fd, "ready\n"); }); !ran) {
    return std::unexpected(ran.error());
  }
  return 0;
}

Result<int> obey(const DaemonArguments& arguments, RoomList rooms) {
  if (arguments.help) {
    (void)write_all(STDOUT_FILENO, daemon_help(rooms));
    return 0;
  }
  if (arguments.room_option != nullptr) {
    return arguments.room_option->run(arguments.room_option_value, arguments.json);
  }
  if (arguments.survivors) return tell_survivors();
  return arguments.verify ? verify(arguments.json, rooms) : serve(arguments, rooms);
}

}  // namespace

int daemon_program(int argc, char** argv, RoomList rooms) {
  fill_standard_descriptors();
  // The owner's token is in our memory: no core dump, and no look from other processes of the user.
  // An exec resets this, so commands dump core as their user has set it.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::signal(SIGXFSZ, SIG_IGN);  // A file size limit must fail a write, not kill the daemon.
  log::open("", log::Level::info);
  const auto arguments = read_daemon_arguments(argc, argv, rooms);
  if (arguments && arguments->ready_fd >= 0) ::fcntl(arguments->ready_fd, F_SETFD, FD_CLOEXEC);
  const auto code =
      arguments ? obey(*arguments, rooms) : Result<int>(std::unexpected(arguments.error()));
  if (code) return *code;
  const Error& error = code.error();
  // A person or a script reads these reports: the error goes to standard error, not to the log.
  if (arguments && (arguments->verify || arguments->survivors)) {
    const std::string text = arguments->json ? wire::envelope(error, "") : error.message;
    (void)write_all(STDERR_FILENO, text + "\n");
    return wire::form(error.code).exit_code;
  }
  log::error("{}: {}", error.reason, error.message);
  if (arguments) tell(arguments->ready_fd, fmt::format("{}: {}\n", error.reason, error.message));
  return wire::form(error.code).exit_code;
}

}  // namespace drover
