// A Follower is a name, a filter and a durable cursor over the event log. It turns each event that
// passes the filter into a Work (store/transaction.h), and that Work is committed together with the
// cursor: whatever crashes in between, the Work of each event is committed once.
//
//   {.name = "parcels.counter", .types = {"run.completed"}, .on = [](const run::Event& event) {
//      return count_parcel(event.scope);
//    }}
//
// `on` only decides. It may be called several times for the same event, so it must not keep state.
// It runs on the daemon's loop; its Work runs on the store's thread. A refused Work stops the
// follower at that event (followers.h).
//
// If one event takes more writes than fit in a Work (limits::kWorkMs), a follower has `parts`
// instead of `on`: several Works, each committed by itself, in order, the last one with the cursor.
// After a crash in between all are committed again, so those before the last one must change
// nothing then.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bus/bell.h"
#include "run/event.h"
#include "store/transaction.h"

namespace drover::follow {

// Where a new follower begins.
enum class StartFrom : std::uint8_t { at_first_event, now };

struct Follower {
  std::string name = {};    // Its cursor is stored under this name, so it never changes.
  bus::Filter filter = {};  // Decides what wakes it, and what it reads.
  std::vector<std::string> types = {};  // Only these types of what it reads; empty: all.
  // Returns an empty Work if there is nothing to do about the event.
  std::function<store::Work(const run::Event&)> on = {};
  StartFrom begins = StartFrom::at_first_event;
  std::function<std::vector<store::Work>(const run::Event&)> parts = {};

  bool wants(const run::Event& event) const;
};

}  // namespace drover::follow
