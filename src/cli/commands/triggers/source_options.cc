#include "cli/commands/triggers/source_options.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/commands/triggers/trigger_options.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/run_fields.h"
#include "cli/typed_time.h"

namespace drover::cli {

using boost::json::object;

namespace {

struct SourceOption {
  std::string_view option;
  std::string_view type;
  std::string_view field;
};
// The option that chooses each type of source.
constexpr auto kSources = std::to_array<SourceOption>({{"cron", "cron", "cron"},
                                                       {"every", "every", "every"},
                                                       {"at", "once", "at"},
                                                       {"on", "event", "on"},
                                                       {"file", "file", "globs"},
                                                       {"webhook", "webhook", "path"},
                                                       {"feed", "feed", "url"},
                                                       {"page", "page", "url"}});

// Options that go with one of them.
struct SourceDetail {
  std::string_view option;
  std::string_view field;
  std::vector<std::string_view> with;
};
const std::vector<SourceDetail>& source_details() {
  static const std::vector<SourceDetail> kDetails{
      {"tz", "tz", {"cron"}},
      {"root", "root", {"file"}},
      {"change", "on", {"file"}},
      {"ignore", "ignore", {"file"}},
      {"settle", "settle", {"file"}},
      {"selector", "selector", {"page"}},
      {"interval", "interval", {"feed", "page"}},
      {"allow-private", "allow_private", {"feed", "page"}}};
  return kDetails;
}

// A list for an option that may be repeated, true for one without a value, or text.
Result<boost::json::value> value_of(const Arguments& arguments, std::string_view option) {
  const auto described = std::ranges::find(kTriggerOptions, option, &Option::name);
  if (described->takes == Takes::nothing) return boost::json::value(true);
  boost::json::array texts;
  for (const std::string& text : arguments.all(option)) {
    if (auto ok = check_text(text, option); !ok) return std::unexpected(ok.error());
    texts.emplace_back(text);
  }
  if (described->takes == Takes::many) return boost::json::value(std::move(texts));
  return boost::json::value(texts.back());
}

// "file:/path" or "env:NAME". The daemon has another working directory: the path is absolute.
Result<std::string> secret_of(const Arguments& arguments) {
  if (arguments.has("secret-env") && arguments.has("secret-file")) {
    return fail_invalid("secret", "--secret-file and --secret-env cannot be combined");
  }
  if (const auto name = arguments.text("secret-env")) {
    if (auto ok = check_text(*name, "secret-env"); !ok) return std::unexpected(ok.error());
    return "env:" + *name;
  }
  const auto path = absolute_directory(arguments.text("secret-file"));
  if (!path) return path;
  if (auto ok = check_text(*path, "secret-file"); !ok) return std::unexpected(ok.error());
  return "file:" + *path;
}

// "2h" is in two hours, "18:00" the next time that a clock here shows this.
Result<std::string> time_of(const std::string& text) {
  const WallMs now = SystemClock{}.wall_ms();
  if (const auto duration = parse_duration_ms(text, "at")) return rfc3339(now + *duration);
  const auto time = parse_typed_time(text, "at", now, Side::future);
  if (time) return rfc3339(*time);
  Error error = time.error();
  error.message = "--at: " + error.message + "; or a time from now, such as 2h";
  return std::unexpected(std::move(error));
}

// Refuses a source without an option that it needs.
Result<> check_needs(const Arguments& arguments, std::string_view chosen) {
  if (chosen == "webhook" && !arguments.has("secret-file") && !arguments.has("secret-env")) {
    return fail_invalid("secret", "--webhook requires --secret-file FILE or --secret-env NAME");
  }
  if (chosen == "page" && !arguments.has("selector")) {
    return fail_invalid("selector", "--page requires --selector CSS");
  }
  return {};
}

bool has_details(const Arguments& arguments) {
  return arguments.has("secret-file") || arguments.has("secret-env") ||
         std::ranges::any_of(source_details(), [&](const SourceDetail& detail) {
           return arguments.has(detail.option);
         });
}

}  // namespace

Result<std::optional<object>> source_of(const Arguments& arguments, std::string_view before) {
  std::optional<object> out;
  std::string chosen;
  for (const auto& [option, type, field] : kSources) {
    if (!arguments.has(option)) continue;
    if (out) {
      return fail_invalid(std::string(option), "--" + std::string(option) + " and --" + chosen +
                                                   " cannot be combined; add two triggers");
    }
    auto value = value_of(arguments, option);
    if (!value) return std::unexpected(value.error());
    if (option == "at") {
      const auto time = time_of(*arguments.text("at"));
      if (!time) return std::unexpected(time.error());
      value = boost::json::value(*time);
    }
    out = object{{"type", type}, {field, std::move(*value)}};
    chosen = option;
  }
  const auto old = std::ranges::find(kSources, before, &SourceOption::type);
  const bool is_new = old == kSources.end() || (out && chosen != old->option);
  if (!out && old != kSources.end() && has_details(arguments)) {
    out = object{{"type", before}};
    chosen = old->option;
  }
  if (is_new) {
    if (auto ok = check_needs(arguments, chosen); !ok) return std::unexpected(ok.error());
  }
  for (const SourceDetail& detail : source_details()) {
    if (!arguments.has(detail.option)) continue;
    if (std::ranges::find(detail.with, chosen) == detail.with.end()) {
      return fail_invalid(
          std::string(detail.option),
          "--" + std::string(detail.option) + " requires --" + std::string(detail.with.front()));
    }
    auto value = value_of(arguments, detail.option);
    if (!value) return std::unexpected(value.error());
    (*out)[detail.field] = std::move(*value);
  }
  if (arguments.has("secret-file") || arguments.has("secret-env")) {
    if (chosen != "webhook") return fail_invalid("secret", "a secret requires --webhook");
    auto secret = secret_of(arguments);
    if (!secret) return std::unexpected(secret.error());
    (*out)["secret"] = std::move(*secret);
  }
  if (chosen == "file" && (is_new || arguments.has("root"))) {
    const auto root = absolute_directory(arguments.text("root"));
    if (!root) return std::unexpected(root.error());
    if (auto ok = check_text(*root, "root"); !ok) return std::unexpected(ok.error());
    (*out)["root"] = *root;
  }
  return out;
}

}  // namespace drover::cli
