#include "config/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/clock.h"
#include "base/fd.h"
#include "base/lane_name.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/ownership.h"
#include "base/read_to_end.h"
#include "base/text.h"
#include "config/file.h"
#include "config/listen_address.h"

namespace drover::config {
namespace {

std::unexpected<Error> bad(const std::string& where, const std::string& message) {
  return fail(ErrorCode::invalid, "bad_config", where + ": " + message, "config");
}

}  // namespace

const Setting* find(std::string_view name) {
  const auto found = std::ranges::find(kSettings, name, &Setting::name);
  return found == kSettings.end() ? nullptr : &*found;
}

Result<std::string> check(const Setting& setting, std::string_view text) {
  const std::string name(setting.name);
  switch (setting.kind) {
    case Kind::number: {
      const auto number = whole_number(text);
      if (setting.name == "run.jobs") {
        if (number && *number >= 1 && *number <= static_cast<std::int64_t>(limits::kEachMax)) break;
        return fail_invalid(name, name + " must be a number from 1 to " +
                                      std::to_string(limits::kEachMax) + ", not " +
                                      std::string(text));
      }
      if (number && *number >= 0) break;
      return fail_invalid(name,
                          name + " must be a whole number of at least 0, not " + std::string(text));
    }
    case Kind::duration:
      if (auto ms = parse_duration_ms(text, name); !ms) return std::unexpected(ms.error());
      break;
    case Kind::color:
      if (text != "auto" && text != "always" && text != "never") {
        return fail_invalid(name,
                            name + " must be auto, always or never, not " + std::string(text));
      }
      break;
    case Kind::lane:
      if (is_lane_name(text)) break;
      return fail_invalid(name, name + " must have " + std::string(kLaneNameRule) + ", not \"" +
                                    bounded(text, 80) + "\"");
    case Kind::address:
      if (auto address = parse_listen(text); !address) {
        return fail_invalid(name, name + ": " + address.error().message);
      }
      break;
    case Kind::text:
      if (text.empty()) return fail_invalid(name, name + " is empty; remove it to use the default");
      break;
  }
  return std::string(text);
}

Result<Settings> Settings::load(const Home& home) {
  const std::string file = path(home);
  std::string text;
  const Result<Fd> opened = open_trusted(file);
  if (!opened && opened.error().reason == "unsafe_home") return std::unexpected(opened.error());
  if (!opened) return bad(file, "cannot be read (" + opened.error().message + ")");
  if (*opened) {
    Result<std::string> read = read_to_end(opened->get(), file, limits::kConfigBytesMax);
    if (!read) return bad(file, "cannot be read (" + read.error().message + ")");
    text = std::move(*read);
  }
  return Settings::read(file, text, [](const char* name) { return std::getenv(name); });
}

Result<Settings> Settings::read(const std::string& path, std::string_view toml,
                                const Variables& variables) {
  Settings out;
  for (const Setting& setting : kSettings) {
    out.values_[std::string(setting.name)] = {std::string(setting.fallback), Origin::fallback, ""};
  }
  // Most people have no file: then toml++ is not used at all.
  const Result<std::vector<Line>> lines =
      toml.empty() ? Result<std::vector<Line>>() : parse(path, toml);
  if (!lines) return std::unexpected(lines.error());
  for (const Line& line : *lines) {
    const std::string where = path + ":" + std::to_string(line.number);
    const Setting* setting = find(line.name);
    if (setting == nullptr) {
      return bad(where, "unknown setting " + line.name +
                            "; remove it, or check its spelling with `drover config show`");
    }
    const bool is_number = setting->kind == Kind::number;
    if (line.is_number != is_number) {
      return bad(where, line.name + (is_number ? " must be a number, without quotes"
                                               : " must be text, in quotes"));
    }
    const Result<std::string> value = check(*setting, line.text);
    if (!value) return bad(where, value.error().message);
    out.values_[line.name] = {*value, Origin::file, where};
  }
  for (const Setting& setting : kSettings) {
    const char* text = variables(std::string(setting.variable).c_str());
    if (text == nullptr || *text == '\0') continue;
    const std::string where = "$" + std::string(setting.variable);
    const Result<std::string> value = check(setting, text);
    if (!value) return bad(where, value.error().message);
    out.values_[std::string(setting.name)] = {*value, Origin::environment, where};
  }
  return out;
}

const Value& Settings::get(std::string_view name) const {
  return values_.find(name)->second;
}

std::optional<std::string> Settings::text(std::string_view name) const {
  const Value& value = get(name);
  return value.text.empty() ? std::nullopt : std::optional(value.text);
}

std::optional<std::int64_t> Settings::number(std::string_view name) const {
  const Value& value = get(name);
  if (value.text.empty()) return std::nullopt;
  return whole_number(value.text);
}

std::optional<std::string> Settings::chosen(std::string_view name) const {
  const Value& value = get(name);
  return value.origin == Origin::fallback ? std::nullopt : std::optional(value.text);
}

}  // namespace drover::config
