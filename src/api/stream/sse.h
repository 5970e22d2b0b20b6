// A stream of server-sent events: past events after a cursor, then new ones. A run's own stream may
// also contain its output. It ends with the run's terminal event, which comes after the last byte
// of output (R12).
//
// It queues nothing for a follower: it reads after the follower's cursor when it can write. A
// follower that falls too far behind gets `lagged` and the cursor to resume at (R14).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/http/caller.h"
#include "api/http/response.h"
#include "api/services.h"
#include "api/stream/cursor.h"

namespace drover::api {

struct Follow {
  std::optional<RunId> run;
  std::string scope;
  std::vector<RunId> runs = {};  // Topics, as in bus::Filter.
  std::vector<std::string> scopes = {};
  Cursor after = {};
  bool output = false;          // Of `run`.
  std::string reader = {};      // The end of this subject ends the token (access::Grant).
  bool of_owner = true;         // As in bus::Filter.
  std::string credential = {};  // Once it is invalid, nothing more is sent. Empty: none.
};

// `services` and `caller` must outlive the stream.
std::unique_ptr<BodyStream> follow_events(Services& services, Caller& caller, Follow follow);

}  // namespace drover::api
