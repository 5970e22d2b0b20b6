// The keys of a [[trigger]] table: where the API has the field, and what it may contain.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace drover::triggers {

enum class KeyPart : std::uint8_t { trigger, source, run, special };
enum class KeyForm : std::uint8_t {
  text,
  texts,
  text_or_texts,  // One text counts as a list of one.
  flag,
  number,
  number_or_table,
  time,  // Text, or a time of TOML.
  table,
  any,
};

struct Key {
  std::string_view key;
  KeyPart part;
  KeyForm form;
  std::string_view field = {};  // In the API, if it has another name there.
  // A value that is always valid, as JSON, to find the problems behind this one; empty: leave the
  // key out.
  std::string_view valid = {};

  std::string_view api_field() const { return field.empty() ? key : field; }
};

inline constexpr auto kKeys = std::to_array<Key>({
    {"name", KeyPart::trigger, KeyForm::text, "", R"("x")"},
    {"filters", KeyPart::trigger, KeyForm::any},
    {"dedup", KeyPart::trigger, KeyForm::text},
    {"missed", KeyPart::trigger, KeyForm::text},
    {"missed_window", KeyPart::trigger, KeyForm::text},
    {"jitter", KeyPart::trigger, KeyForm::text},
    {"overlap", KeyPart::trigger, KeyForm::text},

    {"cron", KeyPart::source, KeyForm::text, "", R"("0 0 * * *")"},
    {"tz", KeyPart::source, KeyForm::text},
    {"every", KeyPart::source, KeyForm::text, "", R"("1h")"},
    {"at", KeyPart::source, KeyForm::time, "", R"("2199-01-01T00:00:00Z")"},
    {"on", KeyPart::source, KeyForm::text_or_texts, "", R"("a.b")"},
    {"files", KeyPart::source, KeyForm::text_or_texts, "globs"},
    {"root", KeyPart::source, KeyForm::text, "", R"("/x")"},
    {"ignore", KeyPart::source, KeyForm::texts},
    {"gitignore", KeyPart::source, KeyForm::flag},
    {"settle", KeyPart::source, KeyForm::text},
    {"webhook", KeyPart::source, KeyForm::text, "path", R"("x")"},
    {"secret", KeyPart::source, KeyForm::text, "", R"("env:X")"},
    {"feed", KeyPart::source, KeyForm::text, "url", R"("https://a.example/")"},
    {"page", KeyPart::source, KeyForm::text, "url", R"("https://a.example/")"},
    {"selector", KeyPart::source, KeyForm::text, "", R"("p")"},
    {"interval", KeyPart::source, KeyForm::text},
    {"allow_private", KeyPart::source, KeyForm::flag},

    {"command", KeyPart::run, KeyForm::texts, "", R"(["true"])"},
    {"shell", KeyPart::run, KeyForm::text, "", R"("true")"},
    {"cwd", KeyPart::run, KeyForm::text},
    {"lane", KeyPart::run, KeyForm::text},
    {"labels", KeyPart::run, KeyForm::table},
    {"timeout", KeyPart::run, KeyForm::text},
    {"idle_timeout", KeyPart::run, KeyForm::text},
    {"grace", KeyPart::run, KeyForm::text},
    {"priority", KeyPart::run, KeyForm::number},
    {"retry", KeyPart::run, KeyForm::number_or_table},
    {"on_restart", KeyPart::run, KeyForm::text},
    {"limits", KeyPart::run, KeyForm::table},

    {"env", KeyPart::special, KeyForm::table},
    {"env_file", KeyPart::special, KeyForm::text},
});

// The keys that choose the source, and its type in the API.
struct SourceKey {
  std::string_view key;
  std::string_view type;
};
inline constexpr auto kSourceKeys = std::to_array<SourceKey>({{"cron", "cron"},
                                                              {"every", "every"},
                                                              {"at", "once"},
                                                              {"files", "file"},
                                                              {"webhook", "webhook"},
                                                              {"feed", "feed"},
                                                              {"page", "page"},
                                                              {"on", "event"}});

// Keys of the source that go with one of these.
struct DetailKey {
  std::string_view key;
  std::array<std::string_view, 2> with;
};
inline constexpr auto kDetailKeys = std::to_array<DetailKey>({{"tz", {"cron", ""}},
                                                              {"root", {"files", ""}},
                                                              {"ignore", {"files", ""}},
                                                              {"gitignore", {"files", ""}},
                                                              {"settle", {"files", ""}},
                                                              {"secret", {"webhook", ""}},
                                                              {"selector", {"page", ""}},
                                                              {"interval", {"feed", "page"}},
                                                              {"allow_private", {"feed", "page"}}});

constexpr const Key* find_key(std::string_view key) {
  const auto* found = std::ranges::find(kKeys, key, &Key::key);
  return found == kKeys.end() ? nullptr : &*found;
}

}  // namespace drover::triggers
