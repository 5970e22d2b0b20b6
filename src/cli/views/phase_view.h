// A PhaseView is how the command line shows the phase of a room's composites: how far such a run
// has come. The room brings it with its commands; `show` and `why` find it by the field in which
// the daemon tells the phase.
#pragma once

#include <boost/json/object.hpp>
#include <span>
#include <string>
#include <string_view>

#include "cli/terminal/screen.h"

namespace drover::cli {

struct PhaseView {
  std::string_view field;  // What a record, and the answer to `why`, call the phase.
  // The phase in a line, and its colour.
  std::string (*line)(const boost::json::object& phase);
  Color (*color)(const boost::json::object& phase);
  // While it is under way: the phase as a sentence ("b1 is under way, at part 3"), and what the
  // child that it is at is to it ("part 3").
  std::string (*sentence)(const boost::json::object& phase);
  std::string (*child)(const boost::json::object& phase);
  // Its children by what they are to it: {"part 3": "run_…"}.
  const boost::json::object& (*children)(const boost::json::object& phase);
};

// The view of the phase that `run` tells of. Null: it tells of none, or of one that no room knows.
const PhaseView* phase_view_of(std::span<const PhaseView> views, const boost::json::object& run);

}  // namespace drover::cli
