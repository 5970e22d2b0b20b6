// The EventIndex holds the triggers on events in memory, with their patterns and filters compiled,
// so that an event that no trigger waits for costs nothing. The owner fills it when the daemon
// starts and updates it after each change of a trigger. `wanted` decides without reading the store.
//
// Lives on the daemon's loop.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "triggers/definition/spec.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/events/envelope.h"

namespace drover::triggers {

// A trigger that an event concerns, and whether its filter lets the event pass.
struct WantedBy {
  std::string trigger;
  std::string refusal = {};  // The rule that does not hold; empty: all hold.
  std::int64_t dedup_ms = 0;
  bool drops_loops = false;  // An event that is a loop has no occurrence.
};

// Whether the event passes the filter of a trigger with this spec.
WantedBy wanted_by(const TriggerSpec& spec, const EventEnvelope& event);

class EventIndex {
 public:
  // Adds or replaces a trigger; one of another source is removed.
  void set(const StoredTrigger& trigger);
  void remove(const std::string& name) { triggers_.erase(name); }
  bool empty() const { return triggers_.empty(); }

  bool matches(std::string_view type) const;
  // In order of their names.
  std::vector<WantedBy> wanted(const EventEnvelope& event) const;

 private:
  struct Entry {
    EventPattern on;
    std::vector<FilterRule> filters;
    std::int64_t dedup_ms = 0;
  };
  std::map<std::string, Entry> triggers_;
};

}  // namespace drover::triggers
