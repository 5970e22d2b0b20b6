#include "dispatch/lanes.h"

#include <iterator>

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
  if (lane.waiting.empty() && lane.held.empty() && lane.active.empty()) lanes_.erase(it);
}

void Lanes::see(const run::Record& record) {
  if (record.lane.empty()) return;  // A composite: its children have the slots.
  Lane& lane = lane_named(record.lane);
  picked_.erase(record.id);
  lane.waiting.erase(order_of(record));
  lane.active.erase(record.id);
  if (!lane.held.empty()) lane.held.erase(record.id);
  if (record.state == run::State::queued && record.held) {
    lane.held.insert(record.id);
  } else if (record.state == run::State::queued) {
    lane.waiting.emplace(order_of(record), record.id);
  } else if (run::holds_slot(record.state)) {
    lane.active.insert(record.id);
  }
}

void Lanes::leave(const run::Record& record, const std::string& name, int priority) {
  Lane& lane = lane_named(name);
  picked_.erase(record.id);
  lane.waiting.erase({-priority, record.number});
  lane.held.erase(record.id);
  lane.active.erase(record.id);  // Picked, and moved before its claim came through.
}

void Lanes::unpick(const RunId& id) {
  const auto it = picked_.find(id);
  if (it == picked_.end()) return;
  Lane& lane = lane_named(it->second.lane);
  lane.active.erase(id);
  lane.waiting.emplace(it->second.order, id);
  picked_.erase(it);
}

std::vector<RunId> Lanes::pick() {
  std::vector<RunId> chosen;
  for (auto& [name, lane] : lanes_) {
    while (!lane.paused && !lane.waiting.empty() && std::cmp_less(lane.active.size(), lane.limit)) {
      const auto [order, id] = *lane.waiting.begin();
      lane.waiting.erase(lane.waiting.begin());
      lane.active.insert(id);
      picked_.emplace(id, Place{name, order});
      chosen.push_back(id);
    }
  }
  return chosen;
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
  for (const auto& [name, lane] : lanes_) n += lane.active.size();
  return n;
}

size_t Lanes::queued() const {
  size_t n = 0;
  for (const auto& [name, lane] : lanes_) n += lane.waiting.size() + lane.held.size();
  return n;
}

std::vector<LaneNumbers> Lanes::numbers() const {
  std::vector<LaneNumbers> out;
  for (const auto& [name, lane] : lanes_) {
    out.push_back({.name = name,
                   .limit = lane.limit,
                   .paused = lane.paused,
                   .active = lane.active.size(),
                   .queued = lane.waiting.size() + lane.held.size()});
  }
  return out;
}

}  // namespace drover::dispatch
