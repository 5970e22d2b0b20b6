// The progress of a run (`progress` of its record, docs/run.md) as text. Pure. Texts of runs are
// cleaned: they may contain anything.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/clock.h"

namespace drover::cli {

// The report of the run: "42% · 4 of 10 · linking". Empty: nothing.
std::string say_progress(const boost::json::object& progress);
// The same for a column: "42% linking".
std::string short_progress(const boost::json::object& progress);
// With its age: "42% · linking (3s ago)".
std::string progress_line(const boost::json::object& progress, WallMs now);
// How much it has printed: "1.4 kB · 12 lines". Empty: unknown.
std::string say_growth(const boost::json::object& growth);

}  // namespace drover::cli
