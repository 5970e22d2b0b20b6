#include "triggers/events/envelope.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "triggers/events/event_type.h"
#include "triggers/events/json_text.h"
#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

constexpr JsonLimits kPayloadLimits{.bytes_max = kPayloadBytesMax, .levels_max = kPayloadLevelsMax};
// The event is one level around its payload.
constexpr JsonLimits kEventLimits{.bytes_max = kPayloadBytesMax + kEventFieldsBytesMax,
                                  .levels_max = kPayloadLevelsMax + 1};

bool is_visible_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

// UTF-8 of 1 to `bytes_max` bytes without control characters.
Result<> check_line(std::string_view text, size_t bytes_max, std::string_view param) {
  const bool has_control = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; });
  if (!text.empty() && text.size() <= bytes_max && !has_control && is_utf8(text)) return {};
  return fail_invalid(std::string(param),
                      fmt::format("{} must have 1 to {} bytes of UTF-8 without control characters",
                                  param, bytes_max));
}

// Reads the members of an event.
class Members {
 public:
  static Result<Members> read(std::string_view text) {
    auto value = read_json(text, kEventLimits, "event");
    if (!value) return std::unexpected(std::move(value.error()));
    if (!value->is_object()) return fail_invalid("event", "an event is a JSON object");
    return Members(text, std::move(value->get_object()));
  }

  // Empty if there is none and it is not required.
  Result<std::string> text(std::string_view name, bool required = true) const {
    const json::value* found = object_.if_contains(name);
    if (found == nullptr && !required) return std::string();
    if (found != nullptr && found->is_string()) return std::string(found->get_string());
    return fail_invalid(
        std::string(name),
        fmt::format("{} {}", name, found == nullptr ? "is missing" : "must be text"));
  }
  // As it was sent, with the blanks around it; `null` if there is none.
  Result<std::string> payload() const {
    const auto raw = raw_member(text_, "payload");
    if (raw) return std::string(*raw);
    if (!object_.contains("payload")) return std::string("null");
    return fail_invalid("payload", "write the key \"payload\" without escapes");
  }
  const json::object& all() const { return object_; }

 private:
  Members(std::string_view text, json::object object) : text_(text), object_(std::move(object)) {}
  std::string_view text_;
  json::object object_;
};

Result<TriggerChain> read_chain(const json::object& event) {
  const json::value* found = event.if_contains("chain");
  if (found == nullptr) return TriggerChain();
  const auto is_text = [](const json::value& one) { return one.is_string(); };
  if (!found->is_array() || !std::ranges::all_of(found->get_array(), is_text)) {
    return fail_invalid("chain", "the chain must be a list of trigger names");
  }
  TriggerChain out;
  for (const json::value& one : found->get_array()) out.emplace_back(one.get_string());
  return out;
}

json::object fields_of(const EventEnvelope& event) {
  json::object out = {{"id", event.id},
                      {"type", event.type},
                      {"source", event.producer},
                      {"time", rfc3339(event.time)}};
  if (!event.dedup_key.empty()) out["dedup_key"] = event.dedup_key;
  if (!event.chain.empty()) out["chain"] = json::array(event.chain.begin(), event.chain.end());
  return out;
}

std::string without_blanks(std::string_view json_text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  json_text.remove_prefix(json_text.find_first_not_of(kBlanks));
  return std::string(json_text.substr(0, json_text.find_last_not_of(kBlanks) + 1));
}

// The first error of several checks.
Result<> first_of(std::initializer_list<Result<>> checks) {
  for (const Result<>& one : checks) {
    if (!one) return one;
  }
  return {};
}

}  // namespace

Result<> check_payload(std::string_view text, std::string_view param) {
  auto value = read_json(text, kPayloadLimits, param);
  return value ? Result<>() : std::unexpected(std::move(value.error()));
}

Result<> check_dedup_key(std::string_view key, std::string_view param) {
  return check_line(key, kDedupKeyBytesMax, param);
}

Result<> check_event(const EventEnvelope& event) {
  if (event.id.empty() || event.id.size() > kEventIdBytesMax || !is_visible_ascii(event.id)) {
    return fail_invalid(
        "id", fmt::format("id must have 1 to {} visible ASCII characters", kEventIdBytesMax));
  }
  if (event.chain.size() > kChainMax) {
    return fail_invalid("chain", fmt::format("a chain has at most {} triggers", kChainMax));
  }
  for (const std::string& trigger : event.chain) {
    if (auto ok = check_line(trigger, limits::kNameBytesMax, "chain"); !ok) return ok;
  }
  return first_of(
      {check_event_type(event.type, "type"),
       check_line(event.producer, kEventSourceBytesMax, "source"),
       event.dedup_key.empty() ? Result<>() : check_dedup_key(event.dedup_key, "dedup_key"),
       check_payload(event.payload, "payload")});
}

std::string to_json_text(const EventEnvelope& event) {
  std::string out = json::serialize(fields_of(event));
  out.pop_back();
  return out + ",\"payload\":" + event.payload + "}";
}

Result<EventEnvelope> read_event(std::string_view text) {
  const auto members = Members::read(text);
  if (!members) return std::unexpected(members.error());
  auto id = members->text("id");
  auto type = members->text("type");
  auto source = members->text("source");
  auto time_text = members->text("time");
  auto key = members->text("dedup_key", false);
  auto payload = members->payload();
  for (const auto* one : {&id, &type, &source, &time_text, &key, &payload}) {
    if (!*one) return std::unexpected(one->error());
  }
  const auto time = parse_time(*time_text, "time");
  if (!time) return std::unexpected(time.error());
  auto chain = read_chain(members->all());
  if (!chain) return std::unexpected(std::move(chain.error()));
  EventEnvelope out{.id = std::move(*id),
                    .type = std::move(*type),
                    .producer = std::move(*source),
                    .time = *time,
                    .dedup_key = std::move(*key),
                    .chain = std::move(*chain),
                    .payload = std::move(*payload)};
  if (auto ok = check_event(out); !ok) return std::unexpected(std::move(ok.error()));
  return out;
}

Result<json::value> to_value(const EventEnvelope& event) {
  auto payload = read_json(event.payload, kPayloadLimits, "payload");
  if (!payload) return payload;
  json::object out = fields_of(event);
  out["payload"] = std::move(*payload);
  return json::value(std::move(out));
}

Result<PostedEvent> parse_posted_event(std::string_view body) {
  const auto members = Members::read(body);
  if (!members) return std::unexpected(members.error());
  for (const auto& member : members->all()) {
    const std::string_view name = member.key();
    if (name == "type" || name == "payload" || name == "dedup_key") continue;
    return fail(ErrorCode::invalid, "unknown_field",
                fmt::format("unknown field \"{}\"; an event has type, payload and dedup_key",
                            bounded(name, 80)),
                bounded(name, 80));
  }
  auto type = members->text("type");
  auto key = members->text("dedup_key", false);
  auto payload = members->payload();
  for (const auto* one : {&type, &key, &payload}) {
    if (!*one) return std::unexpected(one->error());
  }
  const bool has_key = members->all().contains("dedup_key");
  if (auto ok = first_of({check_posted_type(*type, "type"),
                          has_key ? check_dedup_key(*key, "dedup_key") : Result<>(),
                          check_payload(*payload, "payload")});
      !ok) {
    return std::unexpected(std::move(ok.error()));
  }
  return PostedEvent{std::move(*type), std::move(*key), without_blanks(*payload)};
}

}  // namespace drover::triggers
