#include "dispatch/lanes.h"

#include "base/limits.h"

namespace drover::dispatch {

Lanes::Lane& Lanes::lane_named(const std::string& name) {
  return lanes_.try_emplace(name, Lane{.limit = limits::kNewLaneLimit, .waiting = {}, .active = {}})
      .first->second;
}

void Lanes::see(const run::Record& record) {
  Lane& lane = lane_named(record.lane);
  picked_.erase(record.id);
  lane.waiting.erase(record.number);
  lane.active.erase(record.id);
  if (record.state == run::State::queued) {
    lane.waiting.emplace(record.number, record.id);
  } else if (run::holds_slot(record.state)) {
    lane.active.insert(record.id);
  }
}

void Lanes::unpick(const RunId& id) {
  const auto it = picked_.find(id);
  if (it == picked_.end()) return;
  Lane& lane = lane_named(it->second.lane);
  lane.active.erase(id);
  lane.waiting.emplace(it->second.number, id);
  picked_.erase(it);
}

std::vector<RunId> Lanes::pick() {
  std::vector<RunId> chosen;
  for (auto& [name, lane] : lanes_) {
    while (!lane.waiting.empty() && std::cmp_less(lane.active.size(), lane.limit)) {
      const auto [number, id] = *lane.waiting.begin();
      lane.waiting.erase(lane.waiting.begin());
      lane.active.insert(id);
      picked_.emplace(id, Place{name, number});
      chosen.push_back(id);
    }
  }
  return chosen;
}

size_t Lanes::active() const {
  size_t n = 0;
  for (const auto& [name, lane] : lanes_) n += lane.active.size();
  return n;
}

size_t Lanes::queued() const {
  size_t n = 0;
  for (const auto& [name, lane] : lanes_) n += lane.waiting.size();
  return n;
}

}  // namespace drover::dispatch
