// Lanes are named queues with a limit (R16): the most urgent first, and first come first served
// among equals. This is the loop's view of them, made of nothing but the records it has been shown:
// it knows where each active run stands, so showing one twice changes nothing, and showing one that
// was moved moves it. The store decides again, inside the transaction that claims.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "run/record.h"

namespace drover::dispatch {

// A lane in numbers, for metrics.
struct LaneNumbers {
  std::string name;
  std::int64_t limit = 0;
  bool paused = false;
  size_t active = 0;
  size_t queued = 0;
};

class Lanes {
 public:
  void set_limit(const std::string& lane, std::int64_t limit) { lanes_[lane].limit = limit; }
  void set_paused(const std::string& lane, bool paused) { lanes_[lane].paused = paused; }

  // It was removed. One that has runs again all the same begins anew.
  void reset(const std::string& lane);

  // Files a record where its state says it belongs. A held one takes no place in the queue.
  void see(const run::Record& record);
  // A claim that was refused: the run waits again, if it is still there.
  void unpick(const RunId& id);

  // The runs that may be claimed now, the next first in each lane. They count as active until they
  // are seen or unpicked.
  std::vector<RunId> pick();

  // How many are to go before it. Nothing: it stands in no queue.
  std::optional<size_t> ahead_of(const run::Record& record) const;
  size_t active() const;
  size_t queued() const;
  std::vector<LaneNumbers> numbers() const;

 private:
  // Where a run stands in its lane's queue; the smallest goes first.
  struct Order {
    int urgency = 0;  // Higher priority, smaller.
    std::int64_t number = 0;
    friend auto operator<=>(const Order&, const Order&) = default;
  };
  static Order order_of(const run::Record& r) { return {-r.priority, r.number}; }
  // What a run is to its lane. A picked one counts as active; its claim is on its way.
  enum class Part : std::uint8_t { waiting, held, picked, active };
  struct Lane {
    std::int64_t limit = 0;
    bool paused = false;
    std::map<Order, RunId> waiting;
    size_t held = 0;
    size_t active = 0;
  };
  struct Place {
    Lane* lane = nullptr;  // Lanes with runs are never erased.
    Order order;
    Part part = Part::waiting;
  };
  Lane& lane_named(const std::string& name);
  // The only two that change a lane's queue and counts.
  void put(const RunId& id, Place place);
  std::optional<Place> take_out(const RunId& id);

  std::map<std::string, Lane> lanes_;
  std::unordered_map<RunId, Place> places_;  // Of every run that waits or has a slot.
};

}  // namespace drover::dispatch
