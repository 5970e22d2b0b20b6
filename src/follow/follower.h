// A Follower is a name, a filter and a durable cursor over the log. It turns each event that passes
// the filter into a Work (store/transaction.h), and that Work is committed together with the
// cursor: whoever dies in between, the Work of each event is committed once.
//
//   {.name = "bells.counter", .types = {"run.completed"}, .on = [](const run::Event& event) {
//      return count_bell(event.scope);
//    }}
//
// `on` decides and does nothing else. It may be called several times for the same event, so it must
// keep nothing. It runs on the daemon's loop; its Work runs on the store's thread. A Work that is
// refused stops the follower at that event (followers.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bus/bell.h"
#include "run/event.h"
#include "store/transaction.h"

namespace drover::follow {

// Where a follower begins whose name the store has not seen before.
enum class StartFrom : std::uint8_t { at_first_event, now };

struct Follower {
  std::string name = {};    // Its cursor is stored under this name, so it never changes.
  bus::Filter filter = {};  // Decides what wakes it, and what it reads.
  std::vector<std::string> types = {};  // Of what it reads, only these types; none: all.
  // An empty Work: there is nothing to do about this event.
  std::function<store::Work(const run::Event&)> on = {};
  StartFrom begins = StartFrom::at_first_event;

  bool wants(const run::Event& event) const;
};

}  // namespace drover::follow
