#include "triggers/definition/spec_source.h"

#include <array>
#include <boost/json/array.hpp>

#include "base/text.h"
#include "triggers/hooks/path.h"
#include "triggers/hooks/secret.h"
#include "triggers/poll/fetch_url.h"
#include "triggers/poll/poll_plan.h"
#include "triggers/poll/selector.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;
using requests::Fields;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

// Keeps a parsed value, or reports the error.
template <class T, class To>
void take(Fields& fields, Result<T> parsed, To& to) {
  if (!parsed) return fields.refuse(std::move(parsed.error()));
  to = std::move(*parsed);
}

std::string needed(Fields& fields, std::string_view name) {
  std::string text;
  fields.text(name, text);
  if (text.empty()) fields.refuse(name, std::string(name) + " is missing");
  return text;
}

void read_cron(Fields& fields, WallMs anchor, Source& source) {
  const std::string cron = needed(fields, "cron");
  std::string zone;
  fields.text("tz", zone);
  if (!cron.empty()) take(fields, cron_schedule(cron, zone, anchor), source);
}

void read_every(Fields& fields, WallMs anchor, Source& source) {
  const std::string interval = needed(fields, "every");
  if (!interval.empty()) take(fields, every_schedule(interval, anchor), source);
}

void read_once(Fields& fields, WallMs, Source& source) {
  const std::string at = needed(fields, "at");
  if (at.empty()) return;
  const auto time = parse_time(at, "at");
  if (!time) {
    return fields.refuse("at", "write a future time with its zone, such as 2026-12-24T18:00:00Z");
  }
  take(fields, once_schedule(*time), source);
}

void read_event(Fields& fields, WallMs, Source& source) {
  const std::string on = needed(fields, "on");
  if (on.empty()) return;
  auto pattern = EventPattern::parse(on, "on");
  if (!pattern) return fields.refuse(std::move(pattern.error()));
  source = EventSource{std::move(*pattern)};
}

void read_file(Fields& fields, WallMs, Source& source) {
  FileSpec spec;
  spec.root = needed(fields, "root");
  fields.texts("globs", spec.globs);
  fields.texts("ignore", spec.ignore);
  fields.flag("gitignore", spec.gitignore);
  fields.duration_ms("settle", spec.settle_ms);
  if (fields.has("on")) {
    std::vector<std::string> kinds;
    fields.texts("on", kinds);
    spec.kinds = {.created = false, .changed = false, .deleted = false, .moved = false};
    for (const std::string& kind : kinds) {
      bool* flag = kind == "created"   ? &spec.kinds.created
                   : kind == "changed" ? &spec.kinds.changed
                   : kind == "deleted" ? &spec.kinds.deleted
                   : kind == "moved"   ? &spec.kinds.moved
                                       : nullptr;
      if (flag == nullptr) {
        return fields.refuse("on", "unknown kind of change \"" + bounded(kind, 32) +
                                       "\": use created, changed, deleted or moved");
      }
      *flag = true;
    }
  }
  if (spec.root.empty()) return;
  if (auto ok = validate(spec); !ok) return fields.refuse(std::move(ok.error()));
  source = std::move(spec);
}

void read_webhook(Fields& fields, WallMs, Source& source) {
  WebhookSource hook;
  hook.path = needed(fields, "path");
  hook.secret = needed(fields, "secret");
  if (hook.path.empty() || hook.secret.empty()) return;
  if (auto ok = check_hook_path(hook.path, "path"); !ok)
    return fields.refuse(std::move(ok.error()));
  auto place = SecretSource::parse(hook.secret, "secret");
  if (!place) return fields.refuse(std::move(place.error()));
  source = std::move(hook);
}

void read_poll(Fields& fields, Source& source, bool is_page) {
  PollSource poll;
  poll.url = needed(fields, "url");
  if (is_page) poll.selector = needed(fields, "selector");
  fields.duration_ms("interval", poll.interval_ms);
  fields.flag("allow_private", poll.allow_private);
  if (poll.url.empty()) return;
  if (auto url = parse_fetch_url(poll.url, poll.allow_private); !url) {
    return fields.refuse(std::move(url.error()));
  }
  if (fields.has("interval")) {
    if (auto ok = check_poll_interval(poll.interval_ms); !ok) {
      return fields.refuse(std::move(ok.error()));
    }
  }
  if (is_page && !poll.selector.empty()) {
    if (auto selector = parse_selector(poll.selector); !selector) {
      return fields.refuse(std::move(selector.error()));
    }
  }
  source = std::move(poll);
}
void read_feed(Fields& fields, WallMs, Source& source) {
  read_poll(fields, source, false);
}
void read_page(Fields& fields, WallMs, Source& source) {
  read_poll(fields, source, true);
}

struct Reader {
  std::string_view type;
  void (*read)(Fields& fields, WallMs anchor, Source& source);
};
constexpr auto kReaders = std::to_array<Reader>({
    {"cron", read_cron},
    {"every", read_every},
    {"once", read_once},
    {"file", read_file},
    {"webhook", read_webhook},
    {"feed", read_feed},
    {"page", read_page},
    {"event", read_event},
});

}  // namespace

void read_source(Fields& fields, WallMs anchor, Source& source) {
  std::vector<std::string_view> types;
  for (const Reader& reader : kReaders) types.push_back(reader.type);
  size_t type = types.size();
  fields.choice("type", types, type);
  if (type == types.size()) return fields.refuse("type", "type is missing");
  kReaders[type].read(fields, anchor, source);
}

std::string_view source_type(const Source& source) {
  return std::visit(
      Overloaded{
          [](const Schedule& schedule) {
            return std::visit(
                Overloaded{[](const CronSchedule&) { return std::string_view("cron"); },
                           [](const Every&) { return std::string_view("every"); },
                           [](const OneTime&) { return std::string_view("once"); }},
                schedule);
          },
          [](const FileSpec&) { return std::string_view("file"); },
          [](const WebhookSource&) { return std::string_view("webhook"); },
          [](const PollSource& poll) { return std::string_view(poll.is_page() ? "page" : "feed"); },
          [](const EventSource&) { return std::string_view("event"); }},
      source);
}

std::string describe(const Source& source) {
  return std::visit(
      Overloaded{
          [](const Schedule& schedule) { return describe(schedule); },
          [](const FileSpec& files) {
            std::string out = "files in " + files.root;
            for (const std::string& glob : files.globs) out += " " + glob;
            return out;
          },
          [](const WebhookSource& hook) { return "webhook /hooks/" + hook.path; },
          [](const PollSource& poll) { return (poll.is_page() ? "page " : "feed ") + poll.url; },
          [](const EventSource& event) { return "on " + event.on.text(); }},
      source);
}

namespace {

json::array texts_of(const std::vector<std::string>& texts) {
  json::array out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

void write_files(const FileSpec& files, json::object& out) {
  out["root"] = files.root;
  if (!files.globs.empty()) out["globs"] = texts_of(files.globs);
  if (files.kinds != ChangeKinds{}) {
    json::array on;
    for (const ChangeKind kind :
         {ChangeKind::created, ChangeKind::changed, ChangeKind::deleted, ChangeKind::moved}) {
      if (files.kinds.has(kind)) on.emplace_back(name_of(kind));
    }
    out["on"] = std::move(on);
  }
  if (!files.ignore.empty()) out["ignore"] = texts_of(files.ignore);
  if (!files.gitignore) out["gitignore"] = false;
  if (files.settle_ms != kSettleMs) out["settle"] = format_duration(files.settle_ms);
}

}  // namespace

json::object fields_of(const Source& source) {
  json::object out{{"type", source_type(source)}};
  std::visit(Overloaded{[&](const Schedule& schedule) {
                          std::visit(Overloaded{[&](const CronSchedule& cron) {
                                                  out["cron"] = cron.text;
                                                  out["tz"] = cron.zone.name();
                                                },
                                                [&](const Every& every) {
                                                  out["every"] = format_duration(every.interval_ms);
                                                },
                                                [&](const OneTime& once) {
                                                  out["at"] = rfc3339(once.at);
                                                }},
                                     schedule);
                        },
                        [&](const FileSpec& files) { write_files(files, out); },
                        [&](const WebhookSource& hook) {
                          out["path"] = hook.path;
                          out["secret"] = hook.secret;
                        },
                        [&](const PollSource& poll) {
                          out["url"] = poll.url;
                          if (poll.is_page()) out["selector"] = poll.selector;
                          if (poll.interval_ms != 0) {
                            out["interval"] = format_duration(poll.interval_ms);
                          }
                          if (poll.allow_private) out["allow_private"] = true;
                        },
                        [&](const EventSource& event) { out["on"] = event.on.text(); }},
             source);
  return out;
}

}  // namespace drover::triggers
