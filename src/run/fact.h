// A Fact is something that is to be recorded about a run: an observation or a request. `apply`
// (transition.h) judges it, inside the transaction that writes its effect.
#pragma once

#include <string>
#include <variant>

#include "base/id.h"
#include "run/event.h"
#include "run/outcome.h"
#include "run/progress.h"
#include "run/record.h"
#include "run/spec.h"

namespace drover::run {

// A run was submitted and its file is written. `record` is its first version.
struct Submitted {
  Record record;
  std::string key;                    // Idempotency key; empty: none.
  std::string digest;                 // Of the request, to tell a repetition from another request.
  std::optional<RunId> retries = {};  // The finished run that this one retries.
};
struct Claimed {
  RunId id;
};
struct Started {
  RunId id;
  WallMs at = 0;
};
// How a run finished, as far as known. `exit_mono_ns` is when the exit was seen; 0: it was not.
struct Ended {
  RunId id;
  Ending ending;
  StopCause cause = StopCause::none;
  MonoNs exit_mono_ns = 0;
  WallMs started_at = 0;  // 0: never, or already recorded.
  WallMs finished_at = 0;
  std::int64_t cpu_ms = 0;
  std::int64_t peak_rss_bytes = 0;
  std::int64_t stdout_bytes = 0;
  std::int64_t stderr_bytes = 0;
  std::optional<Receipt> receipt = {};
  std::optional<RunId> next = {};  // The next attempt, if there is to be one; its file is ready.
  std::optional<SaidProgress> progress = {};  // The last one, if it is not recorded yet.
};
// A running run made progress: it said so, or its output has grown.
struct Progressed {
  RunId id;
  std::variant<SaidProgress, OutputGrowth> what;
};
struct CancelRequested {
  RunId id;
  bool of_any_kind = false;  // Also kinds that people cannot cancel (run/kind.h), for their room.
  bool only_queued = false;  // Refuse (`not_cancellable`) if it has started.
};
struct Deleted {
  RunId id;
};
// A cancel or a delete of an active run changed nothing: it was refused, or it repeated an earlier
// one. Its event reports that; the record stays as it is, except for its number of events.
struct RequestRefused {
  RunId id;
  EventType type;    // cancel_repeated, cancel_refused or delete_refused.
  std::string data;  // Of the event: a JSON object.
};
// The dependencies of a held run may be done. Whether they are is decided when this fact is judged.
struct Reviewed {
  RunId id;
};
// A queued run is moved to another lane, or to another priority.
struct Moved {
  RunId id;
  std::optional<std::string> lane = {};
  std::optional<int> priority = {};
};

// How a composite finishes once its phase is at rest.
struct Rest {
  Happening happening = Happening::completed;
  Reason reason = Reason::exit_zero;
  Origin origin = Origin::process;
  std::optional<int> exit_code = {};
  std::optional<int> signal = {};
  std::string message = {};
};
// The phase of a composite changes. Its room interprets `change` (PhaseRule in run/kind.h); `rest`
// is used if the composite is at rest afterwards.
struct PhaseChanged {
  RunId id = {};
  std::string change = {};
  Rest rest = {};
};

// How a run ended, as its files say (dispatch/files/run_end.h).
struct KnownEnd {
  Record record;                 // The fields of a final event, and a composite's phase.
  std::string phase_event = {};  // The type of a composite's last own event.
};
// An older database was restored, and the run's files say more than the record, or there is no
// record: then `record` is its first version. Doing it twice changes nothing.
struct TakenUp {
  Record record;
  std::string key = {};  // As in Submitted.
  std::string digest = {};
  bool begun = false;  // A keeper had claimed the run's file: the run is not queued any more.
  std::optional<KnownEnd> end = {};
};

using Fact = std::variant<Submitted, Claimed, Started, Ended, CancelRequested, Deleted, Reviewed,
                          Moved, PhaseChanged, RequestRefused, TakenUp, Progressed>;

const RunId& subject(const Fact& fact);

}  // namespace drover::run
