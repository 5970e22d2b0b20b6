// Lanes are named queues with a limit (R16): the highest priority first; among equals, first come,
// first served. This is the loop's view of them, built only from the records it was shown. It knows
// the place of each active run, so showing a record twice changes nothing, and showing a moved one
// moves it. The store decides again, inside the transaction that claims.
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

  // The lane was removed. If it gets runs again, it starts with default values.
  void reset(const std::string& lane);

  // Files a record by its state. A held run takes no place in the queue.
  void see(const run::Record& record);
  // A claim was refused: the run waits again, if it still exists.
  void unpick(const RunId& id);

  // The runs to claim now, in order within each lane. They count as active until they are seen or
  // unpicked.
  std::vector<RunId> pick();

  // Whether it has a place in a queue, and is not being claimed.
  bool is_waiting(const RunId& id) const;
  // How many runs are before it. Nothing: it is in no queue.
  std::optional<size_t> ahead_of(const run::Record& record) const;
  size_t active() const;
  size_t queued() const;
  std::vector<LaneNumbers> numbers() const;

 private:
  // A run's place in its lane's queue; the smallest is first.
  struct Order {
    int urgency = 0;  // Smaller for a higher priority.
    std::int64_t number = 0;
    friend auto operator<=>(const Order&, const Order&) = default;
  };
  static Order order_of(const run::Record& r) { return {-r.priority, r.number}; }
  // A run's part in its lane. A picked run counts as active while its claim is being recorded.
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
  // A lane's queue and counts change only in these two.
  void put(const RunId& id, Place place);
  std::optional<Place> take_out(const RunId& id);

  std::map<std::string, Lane> lanes_;
  std::unordered_map<RunId, Place> places_;  // Of every run that waits or has a slot.
};

}  // namespace drover::dispatch
