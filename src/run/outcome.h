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
  std::string detail;  // What could not be found or done: the program, the directory.
};
// It was never begun, and now it will not be: canceled in time, or not to be started anew (H10).
struct NeverStarted {};
// Nobody can know any more: the keeper or the host went away without a word.
struct Unknown {
  Reason reason = Reason::keeper_lost;
};
using Ending = std::variant<Exited, Killed, NotLaunched, NeverStarted, Unknown>;

// What had been asked for when the exit was seen.
struct EndingContext {
  StopCause cause = StopCause::none;  // The keeper's own word: what it had begun.
  bool cancel_came_first = false;     // A cancel was on record before the exit was seen.
  bool forced = false;                // It took KILL.
  std::uint64_t memory_bytes = 0;     // Its limit; 0: none.
};

struct Verdict {
  Happening happening = Happening::failed;
  Reason reason = Reason::exit_nonzero;
  Origin origin = Origin::process;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string message;  // Bounded; what it quotes of the command was redacted before.
};

Verdict judge(const Ending& ending, const EndingContext& circumstances);

}  // namespace drover::run
