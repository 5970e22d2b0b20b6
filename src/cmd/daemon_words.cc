#include "cmd/daemon_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/clock.h"
#include "base/number.h"
#include "config/daemon_options.h"

namespace drover {
namespace {

using Value = const std::string&;
using Read = Result<> (*)(DaemonWords& words, std::string_view name, Value value);

template <bool DaemonWords::* field>
Result<> flag(DaemonWords& words, std::string_view, Value) {
  words.*field = true;
  return {};
}

template <std::optional<std::string> DaemonWords::* field>
Result<> text(DaemonWords& words, std::string_view, Value value) {
  words.*field = value;
  return {};
}

template <std::optional<std::int64_t> DaemonWords::* field>
Result<> duration(DaemonWords& words, std::string_view name, Value value) {
  const auto ms = parse_duration_ms(value, name);
  if (!ms) return std::unexpected(ms.error());
  words.*field = *ms;
  return {};
}

Result<std::int64_t> number(std::string_view name, Value value) {
  const auto read = whole_number(value);
  if (read && *read >= 0) return *read;
  return fail_invalid(std::string(name),
                      std::string(name) + " must be a whole number of at least 0, not " + value);
}

Result<> retain_count(DaemonWords& words, std::string_view name, Value value) {
  const auto count = number(name, value);
  if (!count) return std::unexpected(count.error());
  words.retain_count = *count;
  return {};
}

Result<> ready_fd(DaemonWords& words, std::string_view name, Value value) {
  const auto fd = number(name, value);
  if (!fd) return std::unexpected(fd.error());
  words.ready_fd = static_cast<int>(*fd);
  return {};
}

constexpr auto kReaders = std::to_array<std::pair<std::string_view, Read>>({
    {"--listen", text<&DaemonWords::listen>},
    {"--tls-cert", text<&DaemonWords::tls_cert>},
    {"--tls-key", text<&DaemonWords::tls_key>},
    {"--insecure-listen", flag<&DaemonWords::insecure_listen>},
    {"--retain-count", retain_count},
    {"--retain-age", duration<&DaemonWords::retain_age_ms>},
    {"--retain-every", duration<&DaemonWords::retain_every_ms>},
    {"--retain-events", duration<&DaemonWords::retain_events_ms>},
    {"--retain-keys", duration<&DaemonWords::retain_keys_ms>},
    {"--retain-evidence", duration<&DaemonWords::retain_evidence_ms>},
    {"--ready-fd", ready_fd},
    {"--verify", flag<&DaemonWords::verify>},
    {"--survivors", flag<&DaemonWords::survivors>},
    {"--json", flag<&DaemonWords::json>},
    {"--help", flag<&DaemonWords::help>},
});

constexpr const std::pair<std::string_view, Read>* reader_of(const config::DaemonOption& option) {
  return std::ranges::find(kReaders, option.name, &std::pair<std::string_view, Read>::first);
}

static_assert(kReaders.size() == config::kDaemonOptions.size());
static_assert(std::ranges::all_of(config::kDaemonOptions, [](const config::DaemonOption& option) {
  return reader_of(option) != kReaders.end();
}));

const ProgramWord* find_word(RoomList rooms, std::string_view word) {
  for (const Room* room : rooms) {
    const auto found = std::ranges::find(room->words, word, &ProgramWord::word);
    if (found != room->words.end()) return &*found;
  }
  return nullptr;
}

constexpr size_t kHelpColumn = 30;
constexpr size_t kHelpWidth = 80;

// The option, then its text, wrapped in a column of its own.
std::string line_of(std::string_view name, std::string_view value, std::string_view help) {
  std::string line = fmt::format("{:<{}}", fmt::format("  {} {}", name, value), kHelpColumn);
  std::string out;
  while (!help.empty()) {
    const std::string_view word = help.substr(0, help.find(' '));
    help.remove_prefix(std::min(help.size(), word.size() + 1));
    if (line.size() + 1 + word.size() > kHelpWidth) {
      out += line + "\n";
      line.assign(kHelpColumn, ' ');
    } else if (line.back() != ' ') {
      line += ' ';
    }
    line += word;
  }
  return out + line + "\n";
}

}  // namespace

Result<DaemonWords> read_daemon_words(int argc, char** argv, RoomList rooms) {
  DaemonWords words;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto option =
        std::ranges::find(config::kDaemonOptions, name, &config::DaemonOption::name);
    const ProgramWord* of_room = find_word(rooms, name);
    const bool known = option != config::kDaemonOptions.end();
    if (!known && of_room == nullptr) {
      return fail_invalid(name, "unknown argument " + name + "; see droverd --help");
    }
    const bool takes_value = !known || !option->value.empty();
    if (takes_value && i + 1 == argc) return fail_invalid(name, name + " needs a value");
    const std::string value = takes_value ? argv[++i] : "";
    if (!known) {
      words.of_room = of_room;
      words.of_room_value = value;
    } else if (auto ok = reader_of(*option)->second(words, name, value); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return words;
}

std::string daemon_help(RoomList rooms) {
  std::string out =
      "usage: droverd [options]\n\n"
      "Runs the daemon in the foreground. `drover serve` does the same; usually the\n"
      "first drover command starts a daemon in the background.\n\n"
      "Options:\n";
  for (const config::DaemonOption& option : config::kDaemonOptions) {
    out += line_of(option.name, option.value, option.help);
  }
  for (const Room* room : rooms) {
    for (const ProgramWord& word : room->words) out += line_of(word.word, word.value, word.help);
  }
  return out;
}

}  // namespace drover
