// Settings are the options of Drover that a person can store instead of typing them every time.
// kSettings lists all of them; each is used by one program. The first source that sets one wins:
//
//   flag, then environment variable, then config.toml, then the default.
//
// The daemon reads its settings when it starts; the command line reads one when it needs it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/home.h"
#include "base/result.h"

namespace drover::config {

enum class Kind : std::uint8_t { number, duration, text, color, lane, address };
enum class User : std::uint8_t { daemon, command_line };

struct Setting {
  std::string_view name;  // "retention.age": age = … below [retention].
  Kind kind;
  std::string_view fallback;  // The default; empty: none.
  std::string_view variable;
  std::string_view flag;
  User user;
  std::string_view help;
};

inline constexpr auto kSettings = std::to_array<Setting>({
    {"listen.address", Kind::address, "", "DROVER_LISTEN", "droverd --listen", User::daemon,
     "Additional TCP address to listen on, such as 127.0.0.1:7777; other machines need TLS"},
    {"listen.tls_cert", Kind::text, "", "DROVER_TLS_CERT", "droverd --tls-cert", User::daemon,
     "Certificate for listen.address: a PEM file with the whole chain"},
    {"listen.tls_key", Kind::text, "", "DROVER_TLS_KEY", "droverd --tls-key", User::daemon,
     "Private key of the certificate: a PEM file"},
    {"retention.age", Kind::duration, "30d", "DROVER_RETENTION_AGE", "droverd --retain-age",
     User::daemon, "Remove finished runs older than this; 0s keeps them"},
    {"retention.count", Kind::number, "100000", "DROVER_RETENTION_COUNT", "droverd --retain-count",
     User::daemon, "Finished runs to keep in each scope; 0 keeps all"},
    {"retention.events", Kind::duration, "1h", "DROVER_RETENTION_EVENTS", "droverd --retain-events",
     User::daemon, "Keep the events of removed runs this long; 0s keeps them forever"},
    {"retention.evidence", Kind::duration, "0s", "DROVER_RETENTION_EVIDENCE",
     "droverd --retain-evidence", User::daemon,
     "Keep the final state of removed runs this long; 0s keeps it forever"},
    {"retention.keys", Kind::duration, "7d", "DROVER_RETENTION_KEYS", "droverd --retain-keys",
     User::daemon, "Keep the idempotency keys of removed runs this long; 0s keeps them forever"},
    {"run.grace", Kind::duration, "2s", "DROVER_RUN_GRACE", "run --grace", User::command_line,
     "Time between asking a run to stop and killing it"},
    {"run.idle_timeout", Kind::duration, "", "DROVER_RUN_IDLE_TIMEOUT", "run --idle-timeout",
     User::command_line, "Stop a run after this long without output"},
    {"run.jobs", Kind::number, "", "DROVER_RUN_JOBS", "run --jobs", User::command_line,
     "Runs at once with --each; the number of cores if not set"},
    {"run.lane", Kind::lane, "default", "DROVER_RUN_LANE", "run --lane", User::command_line,
     "Lane that runs wait in"},
    {"run.timeout", Kind::duration, "", "DROVER_RUN_TIMEOUT", "run --timeout", User::command_line,
     "Stop a run after this long"},
    {"ui.color", Kind::color, "auto", "DROVER_COLOR", "--color", User::command_line,
     "Use colors: auto, always or never; NO_COLOR turns them off, too"},
});

// Null: no setting has that name.
const Setting* find(std::string_view name);
// `text` in the form that this setting stores, or an error that says what is valid.
Result<std::string> check(const Setting& setting, std::string_view text);

enum class Origin : std::uint8_t { fallback, file, environment };

struct Value {
  std::string text;
  Origin origin = Origin::fallback;
  std::string where;  // "line 3 of /…/config.toml", "$DROVER_RUN_LANE"; empty for a default.
};

using Variables = std::function<const char*(const char* name)>;

class Settings {
 public:
  static std::string path(const Home& home) { return home.config + "/config.toml"; }

  // A missing file counts as empty. `bad_config`: the file or a variable is invalid; the message
  // names the file and the line and says what to do. `unsafe_home`: another user can change it.
  static Result<Settings> load(const Home& home);
  // The same from its parts; `path` is used in messages only.
  static Result<Settings> read(const std::string& path, std::string_view toml,
                               const Variables& variables);

  // `name` must be in kSettings.
  const Value& get(std::string_view name) const;
  // Nothing: it is not set and has no default.
  std::optional<std::string> text(std::string_view name) const;
  std::optional<std::int64_t> number(std::string_view name) const;
  // The value that was set; nothing if only the default applies.
  std::optional<std::string> chosen(std::string_view name) const;

 private:
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace drover::config
