// droverd, the daemon. People start it with `drover serve`, or not at all: the first command does.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "cmd/daemon.h"
#include "config/settings.h"
#include "doctor/verify.h"
#include "log/log.h"
#include "wire/errors.h"

namespace drover {
namespace {

constexpr std::string_view kUsage =
    "usage: droverd [--ready-fd N] [--retain-count N] [--retain-age 30d] [--retain-every 1m]\n"
    "       droverd --verify [--json]\n";

struct Words {
  int ready_fd = -1;
  bool verify = false;
  bool json = false;
  std::optional<std::int64_t> retain_count;
  std::optional<std::int64_t> retain_age_ms;
  std::optional<std::int64_t> retain_every_ms;
};

Result<Words> read_words(int argc, char** argv) {
  Words words;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--verify") {
      words.verify = true;
      continue;
    }
    if (word == "--json") {
      words.json = true;
      continue;
    }
    const char* value = i + 1 < argc ? argv[++i] : "";
    if (word == "--ready-fd") {
      words.ready_fd = std::atoi(value);
    } else if (word == "--retain-count") {
      words.retain_count = std::atoll(value);
    } else if (word == "--retain-age" || word == "--retain-every") {
      const auto ms = parse_duration_ms(value, word);
      if (!ms) return std::unexpected(ms.error());
      (word == "--retain-age" ? words.retain_age_ms : words.retain_every_ms) = *ms;
    } else {
      return fail_invalid(std::string(word),
                          "unknown word " + std::string(word) + "\n" + std::string(kUsage));
    }
  }
  return words;
}

std::string folder_of_this_program() {
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

// Beside a running daemon or without one. 1: something is not as promised.
Result<int> verify(bool json) {
  const auto home = Home::from_environment();
  if (!home) return std::unexpected(home.error());
  const auto report = doctor::verify(*home);
  if (!report) return std::unexpected(report.error());
  const std::string text = json ? doctor::as_json(*report) + "\n" : doctor::as_text(*report);
  (void)write_all(STDOUT_FILENO, text);
  return report->clean() ? 0 : 1;
}

// What is typed wins over the settings.
Result<dispatch::RetentionRule> retention(const Home& home, const Words& words) {
  const auto settings = config::Settings::load(home);
  if (!settings) return std::unexpected(settings.error());
  dispatch::RetentionRule rule;
  rule.count_max = settings->number("retention.count").value_or(rule.count_max);
  if (const auto age = settings->text("retention.age")) {
    rule.age_max_ms = parse_duration_ms(*age, "retention.age").value_or(rule.age_max_ms);
  }
  rule.count_max = words.retain_count.value_or(rule.count_max);
  rule.age_max_ms = words.retain_age_ms.value_or(rule.age_max_ms);
  if (words.retain_every_ms) rule.every = std::chrono::milliseconds(*words.retain_every_ms);
  return rule;
}

Result<int> serve(const Words& words) {
  auto home = Home::from_environment();
  if (!home) return std::unexpected(home.error());
  const auto rule = retention(*home, words);
  if (!rule) return std::unexpected(rule.error());
  // Ours are private; commands get what whoever started us has.
  const mode_t theirs = ::umask(077);
  auto daemon = Daemon::open(
      {.home = *home, .programs = folder_of_this_program(), .umask = theirs, .retention = *rule});
  if (!daemon) return std::unexpected(daemon.error());
  if (auto ran = (*daemon)->run([&] { tell(words.ready_fd, "ready\n"); }); !ran) {
    return std::unexpected(ran.error());
  }
  return 0;
}

Result<int> obey(const Words& words) {
  return words.verify ? verify(words.json) : serve(words);
}

}  // namespace
}  // namespace drover

int main(int argc, char** argv) {
  using namespace drover;
  fill_standard_descriptors();
  ::signal(SIGXFSZ, SIG_IGN);  // A limit on the size of files is an error of a write, not our end.
  log::open("", log::Level::info);
  const auto words = read_words(argc, argv);
  if (words && words->ready_fd >= 0) ::fcntl(words->ready_fd, F_SETFD, FD_CLOEXEC);
  const auto code = words ? obey(*words) : Result<int>(std::unexpected(words.error()));
  if (code) return *code;
  const Error& error = code.error();
  log::error("{}: {}", error.reason, error.message);
  if (words) tell(words->ready_fd, fmt::format("{}: {}\n", error.reason, error.message));
  return wire::form(error.code).exit_code;
}
