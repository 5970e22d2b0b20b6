// A Fact is something somebody has found out or wants on record about a run. Facts are judged by
// `apply` (transition.h), inside the transaction that writes what they change.
#pragma once

#include <string>
#include <variant>

#include "base/id.h"
#include "run/outcome.h"
#include "run/record.h"
#include "run/spec.h"

namespace drover::run {

// A run was asked for and its file is written. The record is as it will first be seen.
struct Submitted {
  Record record;
  std::string key;                    // Idempotency key; empty: none.
  std::string digest;                 // Of the request, to tell a repetition from another request.
  std::optional<RunId> retries = {};  // The ended run that this one is another attempt at.
};
struct Claimed {
  RunId id;
};
struct Started {
  RunId id;
  WallMs at = 0;
};
// What is known of a run's end. `exit_mono_ns` is when the exit was seen; 0 if it never was.
struct Ended {
  RunId id;
  Ending ending;
  StopCause cause = StopCause::none;
  MonoNs exit_mono_ns = 0;
  WallMs started_at = 0;  // 0: never, or already on record.
  WallMs finished_at = 0;
  std::int64_t cpu_ms = 0;
  std::int64_t peak_rss_bytes = 0;
  std::int64_t stdout_bytes = 0;
  std::int64_t stderr_bytes = 0;
  std::optional<Receipt> receipt = {};
  std::optional<RunId> next = {};  // Whose file is ready, should there be another attempt.
};
struct CancelRequested {
  RunId id;
  bool of_any_kind = false;  // Also what people cannot cancel (run/kind.h): its room ends it.
  bool only_queued = false;  // What has begun is left alone: `not_cancellable`.
};
struct Deleted {
  RunId id;
};
// What a held run waits for may be over. Whether it is, is found out when this is judged.
struct Reviewed {
  RunId id;
};
// A queued run is to wait elsewhere, or in another place.
struct Moved {
  RunId id;
  std::optional<std::string> lane = {};
  std::optional<int> priority = {};
};

// How a composite ends that has come to rest.
struct Rest {
  Happening happening = Happening::completed;
  Reason reason = Reason::exit_zero;
  Origin origin = Origin::process;
  std::optional<int> exit_code = {};
  std::optional<int> signal = {};
  std::string message = {};
};
// Something happened to a composite that changes its phase. `change` is for its room (PhaseRule in
// run/kind.h); `rest` counts if the composite is at rest after that.
struct PhaseChanged {
  RunId id = {};
  std::string change = {};
  Rest rest = {};
};

using Fact = std::variant<Submitted, Claimed, Started, Ended, CancelRequested, Deleted, Reviewed,
                          Moved, PhaseChanged>;

const RunId& subject(const Fact& fact);

}  // namespace drover::run
