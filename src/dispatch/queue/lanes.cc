#include "dispatch/queue/lanes.h"

#include <iterator>
#include <utility>

#include "base/limits.h"

namespace drover::dispatch {

Lanes::Lane& Lanes::lane_named(const std::string& name) {
  const auto [lane, added] = lanes_.try_emplace(name);
  if (added) lane->second.limit = limits::kNewLaneLimit;
  return lane->second;
}

void Lanes::reset(const std::string& name) {
  const auto it = lanes_.find(name);
  if (it == lanes_.end()) return;
  Lane& lane = it->second;
  lane.limit = limits::kNewLaneLimit;
  lane.paused = false;
  if (lane.waiting.empty() && lane.held == 0 && lane.active == 0) lanes_.erase(it);
}

void Lanes::put(const RunId& id, Place place) {
  switch (place.part) {
    case Part::waiting:
      place.lane->waiting.emplace(place.order, id);
      break;
    case Part::held:
      ++place.lane->held;
      break;
    case Part::picked:
    case Part::active:
      ++place.lane->active;
      break;
  }
  places_.emplace(id, place);
}

std::optional<Lanes::Place> Lanes::take_out(const RunId& id) {
  const auto entry = places_.find(id);
  if (entry == places_.end()) return std::nullopt;
  const Place place = entry->second;
  places_.erase(entry);
  switch (place.part) {
    case Part::waiting:
      place.lane->waiting.erase(place.order);
      break;
    case Part::held:
      --place.lane->held;
      break;
    case Part::picked:
    case Part::active:
      --place.lane->active;
      break;
  }
  return place;
}

void Lanes::see(const run::Record& record) {
  (void)take_out(record.id);
  if (record.lane.empty()) return;  // A composite: its children take the slots.
  Lane& lane = lane_named(record.lane);
  if (record.state == run::State::queued) {
    put(record.id, {&lane, order_of(record), record.held ? Part::held : Part::waiting});
  } else if (run::holds_slot(record.state)) {
    put(record.id, {&lane, order_of(record), Part::active});
  }
}

void Lanes::unpick(const RunId& id) {
  const auto entry = places_.find(id);
  if (entry == places_.end() || entry->second.part != Part::picked) return;
  Place place = *take_out(id);
  place.part = Part::waiting;
  put(id, place);
}

std::vector<RunId> Lanes::pick() {
  std::vector<RunId> chosen;
  for (auto& [name, lane] : lanes_) {
    while (!lane.paused && !lane.waiting.empty() && std::cmp_less(lane.active, lane.limit)) {
      const RunId id = lane.waiting.begin()->second;
      Place place = *take_out(id);
      place.part = Part::picked;
      put(id, place);
      chosen.push_back(id);
    }
  }
  return chosen;
}

bool Lanes::is_waiting(const RunId& id) const {
  const auto entry = places_.find(id);
  return entry != places_.end() && entry->second.part == Part::waiting;
}

std::optional<size_t> Lanes::ahead_of(const run::Record& record) const {
  const auto lane = lanes_.find(record.lane);
  if (lane == lanes_.end()) return std::nullopt;
  const auto place = lane->second.waiting.find(order_of(record));
  if (place == lane->second.waiting.end()) return std::nullopt;
  return static_cast<size_t>(std::distance(lane->second.waiting.begin(), place));
}

size_t Lanes::active() const {
  size_t n = 0;
  for (const auto& [name, lane] : lanes_) n += lane.active;
  return n;
}

size_t Lanes::queued() const {
  size_t n = 0;
  for (const auto& [name, lane] : lanes_) n += lane.waiting.size() + lane.held;
  return n;
}

std::vector<LaneNumbers> Lanes::numbers() const {
  std::vector<LaneNumbers> out;
  for (const auto& [name, lane] : lanes_) {
    out.push_back({.name = name,
                   .limit = lane.limit,
                   .paused = lane.paused,
                   .active = lane.active,
                   .queued = lane.waiting.size() + lane.held});
  }
  return out;
}

}  // namespace drover::dispatch
