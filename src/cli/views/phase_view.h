// A PhaseView shows the phase of a room's composite runs: how far such a run has progressed. A room
// provides it with its commands; `show` and `why` find it by the field of the record that contains
// the phase.
#pragma once

#include <boost/json/object.hpp>
#include <span>
#include <string>
#include <string_view>

#include "cli/terminal/screen.h"

namespace drover::cli {

struct PhaseView {
  std::string_view field;  // The field in a record, and in the answer to `why`.
  std::string_view title;  // Of its line in `show`.
  // The phase in one line, and its color.
  std::string (*line)(const boost::json::object& phase);
  Color (*color)(const boost::json::object& phase);
  // Of an active run: the phase as a sentence ("b1 is running, at part 3"), and the role of its
  // current child ("part 3").
  std::string (*sentence)(const boost::json::object& phase);
  std::string (*child)(const boost::json::object& phase);
  // Its children by role: {"part 3": "run_…"}.
  const boost::json::object& (*children)(const boost::json::object& phase);
};

// The view of the phase in `run`. Null: the record has no phase, or one that no room knows.
const PhaseView* phase_view_of(std::span<const PhaseView> views, const boost::json::object& run);

}  // namespace drover::cli
