#include "cmd/daemon_arguments.h"

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
using Read = Result<> (*)(DaemonArguments& arguments, std::string_view name, Value value);

template <bool DaemonArguments::* field>
Result<> flag(DaemonArguments& arguments, std::string_view, Value) {
  arguments.*field = true;
  return {};
}

template <std::optional<std::string> DaemonArguments::* field>
Result<> text(DaemonArguments& arguments, std::string_view, Value value) {
  arguments.*field = value;
  return {};
}

template <std::optional<std::int64_t> DaemonArguments::* field>
Result<> duration(DaemonArguments& arguments, std::string_view name, Value value) {
  const auto ms = parse_duration_ms(value, name);
  if (!ms) return std::unexpected(ms.error());
  arguments.*field = *ms;
  return {};
}

Result<std::int64_t> number(std::string_view name, Value value) {
  const auto read = whole_number(value);
  if (read && *read >= 0) return *read;
  return fail_invalid(std::string(name),
                      std::string(name) + " must be a whole number of at least 0, not " + value);
}

Result<> retain_count(DaemonArguments& arguments, std::string_view name, Value value) {
  const auto count = number(name, value);
  if (!count) return std::unexpected(count.error());
  arguments.retain_count = *count;
  return {};
}

Result<> ready_fd(DaemonArguments& arguments, std::string_view name, Value value) {
  const auto fd = number(name, value);
  if (!fd) return std::unexpected(fd.error());
  arguments.ready_fd = static_cast<int>(*fd);
  return {};
}

constexpr auto kReaders = std::to_array<std::pair<std::string_view, Read>>({
    {"--listen", text<&DaemonArguments::listen>},
    {"--tls-cert", text<&DaemonArguments::tls_cert>},
    {"--tls-key", text<&DaemonArguments::tls_key>},
    {"--insecure-listen", flag<&DaemonArguments::insecure_listen>},
    {"--retain-count", retain_count},
    {"--retain-age", duration<&DaemonArguments::retain_age_ms>},
    {"--retain-every", duration<&DaemonArguments::retain_every_ms>},
    {"--retain-events", duration<&DaemonArguments::retain_events_ms>},
    {"--retain-keys", duration<&DaemonArguments::retain_keys_ms>},
    {"--retain-evidence", duration<&DaemonArguments::retain_evidence_ms>},
    {"--ready-fd", ready_fd},
    {"--verify", flag<&DaemonArguments::verify>},
    {"--survivors", flag<&DaemonArguments::survivors>},
    {"--json", flag<&DaemonArguments::json>},
    {"--help", flag<&DaemonArguments::help>},
});

constexpr const std::pair<std::string_view, Read>* reader_of(const config::DaemonOption& option) {
  return std::ranges::find(kReaders, option.name, &std::pair<std::string_view, Read>::first);
}

static_assert(kReaders.size() == config::kDaemonOptions.size());
static_assert(std::ranges::all_of(config::kDaemonOptions, [](const config::DaemonOption& option) {
  return reader_of(option) != kReaders.end();
}));

const RoomOption* find_room_option(RoomList rooms, std::string_view name) {
  for (const Room* room : rooms) {
    const auto found = std::ranges::find(room->options, name, &RoomOption::name);
    if (found != room->options.end()) return &*found;
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

Result<DaemonArguments> read_daemon_arguments(int argc, char** argv, RoomList rooms) {
  DaemonArguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto option =
        std::ranges::find(config::kDaemonOptions, name, &config::DaemonOption::name);
    const RoomOption* room_option = find_room_option(rooms, name);
    const bool known = option != config::kDaemonOptions.end();
    if (!known && room_option == nullptr) {
      return fail_invalid(name, "unknown argument " + name + "; see droverd --help");
    }
    const bool takes_value = !known || !option->value.empty();
    if (takes_value && i + 1 == argc) return fail_invalid(name, name + " needs a value");
    const std::string value = takes_value ? argv[++i] : "";
    if (!known) {
      arguments.room_option = room_option;
      arguments.room_option_value = value;
    } else if (auto ok = reader_of(*option)->second(arguments, name, value); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return arguments;
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
    for (const RoomOption& option : room->options) {
      out += line_of(option.name, option.value, option.help);
    }
  }
  return out;
}

}  // namespace drover
