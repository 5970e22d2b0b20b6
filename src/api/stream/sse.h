// A stream of events: past events after a cursor, then new ones. It may also contain the output of
// the run, or of all runs. A run's own stream ends with the run's final event, which comes after
// the last byte of output (R12).
//
// It queues nothing for a subscriber: it reads after the subscriber's cursor when it can write. A
// subscriber that falls too far behind gets `lagged` and the cursor to resume at (R14).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/http/request_client.h"
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
  std::int64_t compacted_through = 0;  // The newest compacted event that may concern the reader.
  bool output = false;                 // Of `run`; without it, of all (api/stream/all_output.h).
  bool from_now = false;               // Of all: only what is printed from now on.
  bool frames = false;                 // Not server-sent events, but frames (wire/frames.h).
  bool exact = false;           // The client prints all of the output: none is dropped before it.
  std::string reader = {};      // The end of this subject ends the token (access::Grant).
  work::Caller share = {};      // On whose behalf it reads.
  bool of_owner = true;         // As in bus::Filter.
  std::string credential = {};  // Once it is invalid, nothing more is sent. Empty: none.
};

// `services` and `client` must outlive the stream.
std::unique_ptr<BodyStream> follow_events(Services& services, RequestClient& client, Follow follow);

}  // namespace drover::api
