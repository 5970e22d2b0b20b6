// A Cursor is the stored position of a follower: the last event it has handled, and, if it was
// stopped, at which event and why. Cursors are in the table `followers` (docs/schema.md) and change
// by Works.
//
// Stopping, resuming and skipping append events: follower.stopped, follower.resumed,
// follower.skipped, with the subject follower/<name>. Moving a cursor appends none: that would
// double the event log. If a move is lost in a failed commit, nothing is done twice: a Work that
// landed moved the cursor with it, and events without a Work are only read again.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "store/store.h"
#include "store/transaction.h"

namespace drover::follow {

struct Cursor {
  std::int64_t seq = 0;         // Every event up to this one is handled.
  std::int64_t stopped_at = 0;  // The event whose Work was refused; 0: the follower is not stopped.
  std::string reason = {};      // Why it was refused: "work_slow: this write took …".

  bool is_stopped() const { return stopped_at != 0; }
};

// By the names of the followers.
Result<std::map<std::string, Cursor>> read_cursors(store::Reads& store);

// Stores the cursor of a new follower. A known cursor stays where it is.
store::Work place_cursor(std::string name, std::int64_t seq);
// Carries out `work`, unless the cursor has passed `seq` already, and moves the cursor there.
// An empty `work` moves the cursor alone.
store::Work work_and_move(std::string name, std::int64_t seq, store::Work work);

// For a cursor beyond the end of the log: its follower continues with the next event.
store::Work move_cursor_back(std::string name, std::int64_t seq);

store::Work stop_at(std::string name, std::int64_t seq, std::string reason);
// Both are refused with `not_stopped` if the follower is not stopped. `resume` tries the event
// again, `skip` moves past it.
store::Work resume(std::string name);
store::Work skip(std::string name);

extern const store::RoomSchema kTables;

}  // namespace drover::follow
