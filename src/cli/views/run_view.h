// What the command line makes of a run as the daemon describes it (docs/run.md): an exit code, a
// colour, a line. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/terminal/screen.h"
#include "wire/run_state.h"

namespace drover::cli {

// "run_", the millisecond, and two characters more: as much of an id as there is room for where the
// screen is narrow. It resolves, unless many came in one millisecond.
inline constexpr size_t kShortId = 16;
// As much of these ids as tells them apart, and at least that; those of one millisecond need more.
size_t short_id_width(const std::vector<std::string>& ids);

// The state, if it is one we know.
std::optional<wire::RunState> state_of(const boost::json::object& run);
bool has_ended(const boost::json::object& run);

// With what `drover run` and `drover wait` exit for an ended run (S1): the command's own code,
// 128+N signaled, 124 timed out, 130 canceled, 127/126 not found/not executable, else 125: it could
// not be started, or Drover ended it at a limit.
// `run` is a record, or the data of a terminal event.
int exit_code_of(const boost::json::object& run);

Color color_of(const boost::json::object& run);
// The name, or else the command as one would type it, a shell's script without its shell. Of a
// room's composite its kind and name, of what that is made of the end of its scope and its name:
// "batch b1", "b1: part 3".
std::string title_of(const boost::json::object& run);
std::string command_of(const boost::json::object& run);
// The same, but of `run --shell` only the script, and with --each its input: "wc $1 · a.txt".
std::string short_command_of(const boost::json::object& run);
// "0", "2", "KILL", "-": how it ended, in one word.
std::string ending_of(const boost::json::object& run);
// From start to end, or to now; nothing before it started.
std::optional<std::int64_t> elapsed_ms(const boost::json::object& run, WallMs now);
// Worth a notice after an attached run: what the command itself could not have said. Or empty.
std::string epitaph(const boost::json::object& run);
// What its keeper did to end it, in a line. Or empty.
std::string receipt_line(const boost::json::object& run);
// What of its output a full disk did not take, in a sentence. Or empty.
std::string missing_output(const boost::json::object& run);

}  // namespace drover::cli
