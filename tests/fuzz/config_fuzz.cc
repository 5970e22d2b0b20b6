// Fuzzes config.toml. Any bytes are settings, or an error with its line. `drover config set` may
// refuse a text that is written in an unusual way, but an edited file is never worse than that: the
// value that was set is read back, or the text is not used.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/file.h"
#include "config/settings.h"

namespace {

using drover::config::Settings;

drover::Result<Settings> read(std::string_view toml) {
  return Settings::read("config.toml", toml, [](const char*) -> const char* { return nullptr; });
}

// Whether the file has only lines such as `[section]`, `key = value` and comments.
bool is_plain(std::string_view toml) {
  return toml.find_first_of("'\"\\{}\r") == std::string_view::npos &&
         toml.find("[[") == std::string_view::npos && toml.find('.') == std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string_view toml(reinterpret_cast<const char*>(data), size);
  const auto settings = read(toml);
  if (!settings && !settings.error().message.starts_with("config.toml:")) std::abort();
  for (const auto& [name, value, is_number] :
       {std::tuple{"retention.count", "7", true}, std::tuple{"run.lane", "night", false},
        std::tuple{"ui.color", "", false}}) {
    const std::string edited = drover::config::edit(toml, name, value, is_number);
    const auto after = read(edited);
    if (!settings || !is_plain(toml)) continue;
    if (!after || after->chosen(name).value_or("") != value) std::abort();
  }
  return 0;
}
