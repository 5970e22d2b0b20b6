// A stream of server-sent events: what happened after a cursor, and then what happens. A run's own
// stream may carry its output too, and ends with the run's terminal event, which comes after the
// last byte of output (R12).
//
// Nothing is queued for a follower: it reads after its cursor when it can write. One that falls too
// far behind is told `lagged` and where to resume (R14).
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
  std::string reader = {};      // With the end of this subject its token ends (access::Grant).
  bool of_owner = true;         // As in bus::Filter.
  std::string credential = {};  // Once it is no longer valid, nothing more is told. Empty: none.
};

// `backing` and `caller` must outlive the stream.
std::unique_ptr<BodyStream> follow_events(Services& services, Caller& caller, Follow follow);

}  // namespace drover::api
