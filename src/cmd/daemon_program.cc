#include "cmd/daemon_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/number.h"
#include "cmd/daemon.h"
#include "config/settings.h"
#include "doctor/survivors.h"
#include "doctor/verify.h"
#include "log/log.h"
#include "wire/errors.h"

namespace drover {
namespace {

constexpr std::string_view kUsage =
    "usage: droverd [--ready-fd N] [--retain-count N] [--retain-age 30d] [--retain-every 1m]\n"
    "               [--retain-events 1h] [--retain-keys 7d] [--retain-evidence 0s]\n"
    "               [--listen 127.0.0.1:7777] [--tls-cert FILE --tls-key FILE] "
    "[--insecure-listen]\n"
    "       droverd --verify [--json]\n"
    "       droverd --survivors\n";

struct Words {
  int ready_fd = -1;
  bool verify = false;
  bool survivors = false;
  bool json = false;
  bool insecure_listen = false;
  const ProgramWord* of_room = nullptr;  // A room's word: run it instead of the daemon.
  std::string of_room_value;
  std::optional<std::string> listen;
  std::optional<std::string> tls_cert;
  std::optional<std::string> tls_key;
  std::optional<std::int64_t> retain_count;
  std::optional<std::int64_t> retain_age_ms;
  std::optional<std::int64_t> retain_every_ms;
  std::optional<std::int64_t> retain_events_ms;
  std::optional<std::int64_t> retain_keys_ms;
  std::optional<std::int64_t> retain_evidence_ms;

  // The value of a duration that the daemon takes; null: it takes none of that name.
  std::optional<std::int64_t>* duration(std::string_view word) {
    if (word == "--retain-age") return &retain_age_ms;
    if (word == "--retain-every") return &retain_every_ms;
    if (word == "--retain-events") return &retain_events_ms;
    if (word == "--retain-keys") return &retain_keys_ms;
    return word == "--retain-evidence" ? &retain_evidence_ms : nullptr;
  }
};

std::string usage(RoomList rooms) {
  std::string text(kUsage);
  for (const Room* room : rooms) {
    for (const ProgramWord& word : room->words)
      text += fmt::format("       droverd {}\n", word.usage);
  }
  return text;
}

const ProgramWord* find_word(RoomList rooms, std::string_view word) {
  for (const Room* room : rooms) {
    const auto found = std::ranges::find(room->words, word, &ProgramWord::word);
    if (found != room->words.end()) return &*found;
  }
  return nullptr;
}

Result<Words> read_words(int argc, char** argv, RoomList rooms) {
  Words words;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--verify") {
      words.verify = true;
      continue;
    }
    if (word == "--survivors") {
      words.survivors = true;
      continue;
    }
    if (word == "--json") {
      words.json = true;
      continue;
    }
    if (word == "--insecure-listen") {
      words.insecure_listen = true;
      continue;
    }
    const char* value = i + 1 < argc ? argv[++i] : "";
    if (word == "--ready-fd") {
      words.ready_fd = std::atoi(value);
    } else if (const ProgramWord* of_room = find_word(rooms, word)) {
      words.of_room = of_room;
      words.of_room_value = value;
    } else if (word == "--listen") {
      words.listen = value;
    } else if (word == "--tls-cert") {
      words.tls_cert = value;
    } else if (word == "--tls-key") {
      words.tls_key = value;
    } else if (word == "--retain-count") {
      const auto count = whole_number(value);
      if (!count || *count < 0) {
        return fail_invalid(
            std::string(word),
            "--retain-count must be a whole number of at least 0, not " + std::string(value));
      }
      words.retain_count = *count;
    } else if (auto* duration = words.duration(word)) {
      const auto ms = parse_duration_ms(value, word);
      if (!ms) return std::unexpected(ms.error());
      *duration = *ms;
    } else {
      return fail_invalid(std::string(word),
                          "unknown argument " + std::string(word) + "\n" + usage(rooms));
    }
  }
  return words;
}

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
  std::vector<doctor::QuestionSet> questions;
  for (const Room* room : rooms) {
    if (room->questions != nullptr) questions.push_back(*room->questions);
  }
  const auto report = doctor::verify(*home, questions);
  if (!report) return std::unexpected(report.error());
  const std::string text = json ? doctor::as_json(*report) + "\n" : doctor::as_text(*report);
  (void)write_all(STDOUT_FILENO, text);
  return report->clean() ? 0 : 1;
}

// For `drover doctor`: the processes of finished runs, as JSON.
Result<int> tell_survivors() {
  const auto home = Home::from_environment();
  if (!home) return std::unexpected(home.error());
  const auto text = doctor::survivors_as_json(*home);
  if (!text) return std::unexpected(text.error());
  (void)write_all(STDOUT_FILENO, *text + "\n");
  return 0;
}

// Options on the command line win over the settings.
dispatch::RetentionRule retention(const config::Settings& settings, const Words& words) {
  dispatch::RetentionRule rule;
  rule.count_max = settings.number("retention.count").value_or(rule.count_max);
  if (const auto age = settings.text("retention.age")) {
    rule.age_max_ms = parse_duration_ms(*age, "retention.age").value_or(rule.age_max_ms);
  }
  rule.count_max = words.retain_count.value_or(rule.count_max);
  rule.age_max_ms = words.retain_age_ms.value_or(rule.age_max_ms);
  if (words.retain_every_ms) rule.every = std::chrono::milliseconds(*words.retain_every_ms);
  return rule;
}

dispatch::CompactionRule compaction(const config::Settings& settings, const Words& words) {
  dispatch::CompactionRule rule;
  const auto read = [&](const char* name, const std::optional<std::int64_t>& typed,
                        std::int64_t& out) {
    if (const auto age = settings.text(name)) out = parse_duration_ms(*age, name).value_or(out);
    out = typed.value_or(out);
  };
  read("retention.events", words.retain_events_ms, rule.events_ms);
  read("retention.keys", words.retain_keys_ms, rule.keys_ms);
  read("retention.evidence", words.retain_evidence_ms, rule.evidence_ms);
  if (words.retain_every_ms) rule.every = std::chrono::milliseconds(*words.retain_every_ms);
  return rule;
}

// The TCP address to listen on, if any. An address that would let strangers in is an error: better
// no daemon than one that silently does not listen.
Result<> read_listen(const config::Settings& settings, const Words& words, DaemonOptions& options) {
  const auto chosen = [&](const std::optional<std::string>& typed, const char* name) {
    return typed ? typed : settings.text(name);
  };
  const auto text = chosen(words.listen, "listen.address");
  if (!text) return {};
  auto address = config::parse_listen(*text);
  if (!address) return std::unexpected(address.error());
  options.tls_cert = chosen(words.tls_cert, "listen.tls_cert").value_or("");
  options.tls_key = chosen(words.tls_key, "listen.tls_key").value_or("");
  if (auto ok = config::check_tls_pair(options.tls_cert, options.tls_key); !ok) return ok;
  if (auto ok = config::check_exposure(*address, !options.tls_cert.empty(), words.insecure_listen);
      !ok) {
    return ok;
  }
  options.listen = std::move(*address);
  return {};
}

Result<int> serve(const Words& words, RoomList rooms) {
  auto home = Home::from_environment();
  if (!home) return std::unexpected(home.error());
  const auto settings = config::Settings::load(*home);
  if (!settings) return std::unexpected(settings.error());
  DaemonOptions options{.home = *home,
                        .programs = directory_of_this_program(),
                        .retention = retention(*settings, words),
                        .compaction = compaction(*settings, words)};
  if (auto ok = read_listen(*settings, words, options); !ok) return std::unexpected(ok.error());
  // Our files are private; commands get the umask that we were started with.
  options.umask = ::umask(077);
  auto daemon = Daemon::open(std::move(options), rooms);
  if (!daemon) return std::unexpected(daemon.error());
  if (auto ran = (*daemon)->run([&] { tell(words.ready_fd, "ready\n"); }); !ran) {
    return std::unexpected(ran.error());
  }
  return 0;
}

Result<int> obey(const Words& words, RoomList rooms) {
  if (words.of_room != nullptr) return words.of_room->run(words.of_room_value, words.json);
  if (words.survivors) return tell_survivors();
  return words.verify ? verify(words.json, rooms) : serve(words, rooms);
}

}  // namespace

int daemon_program(int argc, char** argv, RoomList rooms) {
  fill_standard_descriptors();
  ::signal(SIGXFSZ, SIG_IGN);  // A file size limit must fail a write, not kill the daemon.
  log::open("", log::Level::info);
  const auto words = read_words(argc, argv, rooms);
  if (words && words->ready_fd >= 0) ::fcntl(words->ready_fd, F_SETFD, FD_CLOEXEC);
  const auto code = words ? obey(*words, rooms) : Result<int>(std::unexpected(words.error()));
  if (code) return *code;
  const Error& error = code.error();
  if (words && (words->verify || words->survivors)) {  // A person or a script reads it, and no log.
    const std::string text = words->json ? wire::envelope(error, "") : error.message;
    (void)write_all(STDERR_FILENO, text + "\n");
    return wire::form(error.code).exit_code;
  }
  log::error("{}: {}", error.reason, error.message);
  if (words) tell(words->ready_fd, fmt::format("{}: {}\n", error.reason, error.message));
  return wire::form(error.code).exit_code;
}

}  // namespace drover
