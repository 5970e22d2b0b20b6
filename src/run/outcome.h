// The outcome of a run: what is known of its end, judged into a state and a reason (R3, R4).
// Unknown is never success.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/journal.h"
#include "run/life.h"
#include "run/reason.h"

namespace drover::run {

struct Exited {
  int code = 0;
};
struct Killed {
  int signal = 0;
  bool core_dumped = false;
};
struct NotLaunched {
  LaunchStep step = LaunchStep::none;
  int error_number = 0;
  std::string detail;  // The thing that was missing or failed: the program, the directory.
};
// It never started and never will: canceled in time, or not to be restarted (H10).
struct NeverStarted {};
// How it ended cannot be known any more: the keeper or the host died without recording it.
struct Unknown {
  Reason reason = Reason::keeper_lost;
};
using Ending = std::variant<Exited, Killed, NotLaunched, NeverStarted, Unknown>;

// The requests that were known when the exit was seen.
struct EndingContext {
  StopCause cause = StopCause::none;  // The stop that the keeper had begun, by its own record.
  bool cancel_came_first = false;     // A cancel was recorded before the exit was seen.
  bool forced = false;                // KILL was needed.
  std::uint64_t memory_bytes = 0;     // Its limit; 0: none.
};

struct Verdict {
  Happening happening = Happening::failed;
  Reason reason = Reason::exit_nonzero;
  Origin origin = Origin::process;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string message;  // Bounded; quotations of the command are redacted.
};

Verdict judge(const Ending& ending, const EndingContext& circumstances);

}  // namespace drover::run
