// A PollState is everything that a trigger remembers between two polls of its feed or page. It is
// stored as JSON in the same commit as the decision about what was polled, so that a crash between
// them can neither lose nor repeat an item.
//
//   {"etag":"\"1\"","last_modified":"…","polled":true,"keys":["0a1b…"],"hash":"…",
//    "next_at":1794000000000,"errors":0}
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "triggers/poll/known_items.h"

namespace drover::triggers {

struct PollState {
  std::string etag = {};
  std::string last_modified = {};
  KnownItems known = {};   // Of a feed.
  std::string hash = {};   // Of a page; empty before the first poll.
  WallMs next_at = 0;      // Not before this time; 0: at once.
  int errors = 0;          // In a row.
  std::string error = {};  // The latest of them, for a person; empty: the last poll worked.

  bool operator==(const PollState&) const = default;
};

// At most kPollStateBytesMax.
std::string to_json(const PollState& state);
// `corrupt`, with the reason poll_state, if it is not what to_json writes. Unknown fields, of a
// later version, are ignored.
Result<PollState> parse_poll_state(std::string_view json);

}  // namespace drover::triggers
