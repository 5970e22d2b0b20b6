#include "triggers/events/event_index.h"

#include <algorithm>

#include "log/log.h"

namespace drover::triggers {

WantedBy wanted_by(const TriggerSpec& spec, const EventEnvelope& event) {
  WantedBy out{.trigger = spec.name, .refusal = {}, .dedup_ms = spec.dedup_ms};
  if (spec.filters.empty()) return out;
  const FilterVerdict verdict =
      evaluate(spec.filters, to_value(event).value_or(boost::json::value()));
  if (!verdict.passes()) out.refusal = verdict.reason;
  return out;
}

void EventIndex::set(const StoredTrigger& trigger) {
  triggers_.erase(trigger.name);
  if (trigger.source_type != "event") return;
  auto spec = read_spec(trigger.spec, trigger.anchor);
  if (!spec) {
    log::error("trigger {}: {}", trigger.name, spec.error().message);
    return;
  }
  const auto* source = std::get_if<EventSource>(&spec->source);
  if (source == nullptr) return;
  triggers_.emplace(
      trigger.name,
      Entry{.on = source->on, .filters = std::move(spec->filters), .dedup_ms = spec->dedup_ms});
}

bool EventIndex::matches(std::string_view type) const {
  return std::ranges::any_of(triggers_,
                             [&](const auto& entry) { return entry.second.on.matches(type); });
}

std::vector<WantedBy> EventIndex::wanted(const EventEnvelope& event) const {
  std::vector<WantedBy> out;
  std::optional<boost::json::value> value;
  for (const auto& [name, entry] : triggers_) {
    if (!entry.on.matches(event.type)) continue;
    WantedBy one{.trigger = name, .refusal = {}, .dedup_ms = entry.dedup_ms};
    if (!entry.filters.empty()) {
      if (!value) value = to_value(event).value_or(boost::json::value());
      const FilterVerdict verdict = evaluate(entry.filters, *value);
      if (!verdict.passes()) one.refusal = verdict.reason;
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace drover::triggers
