// A run's record (docs/run.md) as an exit code, a color and texts. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cli/terminal/screen.h"
#include "cli/views/gap_seam.h"
#include "wire/run_state.h"

namespace drover::cli {

// "run_", the millisecond, and two more characters: the part of an id that is shown on narrow
// screens. It is unique unless many runs started in one millisecond.
inline constexpr size_t kShortId = 16;
// The width at which these ids differ, at least kShortId; ids of the same millisecond need more.
size_t short_id_width(const std::vector<std::string>& ids);

// The state; empty: unknown.
std::optional<wire::RunState> state_of(const boost::json::object& run);
bool has_ended(const boost::json::object& run);

// The exit code of `drover run` and `drover wait` for a finished run (S1): the command's own code,
// 128+N after a signal, 124 timed out, 130 canceled, 127/126 not found/not executable, otherwise
// 125: it could not be started, or Drover killed it at a limit. `run` is a record, or the data of a
// final event.
int exit_code_of(const boost::json::object& run);

Color color_of(const boost::json::object& run);
// The name, or the command as one would type it, for a shell script without the shell. For a room's
// composite, its kind and name; for its children, the end of their scope and the name: "batch b1",
// "b1: part 3".
std::string title_of(const boost::json::object& run);
// The same, and after the name the command: "nightly · ./backup".
std::string full_title_of(const boost::json::object& run);
std::string command_of(const boost::json::object& run);
// A word of a command as one would type it: a b is 'a b'.
std::string quoted(std::string_view word);
// The command as one would type it; for `run --shell` only the script, and with --each its input:
// "wc $1 · a.txt".
std::string short_command_of(const boost::json::object& run);
// The exit code or signal: "0", "2", "KILL"; "-": none.
std::string ending_of(const boost::json::object& run);
// From start to end, or until now; empty before the start.
std::optional<std::int64_t> elapsed_ms(const boost::json::object& run, WallMs now);
// The notice after a foreground run whose end was not the command's own exit. Otherwise empty.
std::string end_notice(const boost::json::object& run);
// The same for every end: "failed: exited with code 3".
std::string say_end(const boost::json::object& run);
// How the keeper stopped the run, in a line. Empty: it did not.
std::string receipt_line(const boost::json::object& run);
// How much output is not kept, in a sentence. Empty: none is missing.
std::string missing_output(const boost::json::object& run);
// "… 523,288 bytes not kept …", or "… 523,288 bytes not kept; 9 bytes of cut lines not printed …"
std::string say_gap(const MissingBytes& missing);
// The size of a gap, from its data.
std::uint64_t gap_bytes(const boost::json::object& data);

}  // namespace drover::cli
