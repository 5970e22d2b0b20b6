// The page of `drover show`: everything known about a run. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <span>
#include <string>

#include "base/clock.h"
#include "cli/terminal/screen.h"
#include "cli/views/phase_view.h"

namespace drover::cli {

std::string show_page(const boost::json::object& run, const Screen& screen,
                      std::span<const PhaseView> phases, WallMs now);

// The permanent status of a run, which stays when its record is removed.
std::string evidence_page(const boost::json::object& status, const Screen& screen, WallMs now);

// The attempts of a retried run, oldest first; `attempts` are sorted newest first.
std::string attempts_page(const boost::json::array& attempts, const boost::json::object& run,
                          const Screen& screen, WallMs now);

}  // namespace drover::cli
