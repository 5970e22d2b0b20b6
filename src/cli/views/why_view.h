// The page of `drover why`: why a run is waiting, what a running one is doing, or why it finished.
// Pure.
#pragma once

#include <boost/json/object.hpp>
#include <span>
#include <string>

#include "base/clock.h"
#include "cli/terminal/screen.h"
#include "cli/views/phase_view.h"

namespace drover::cli {

std::string why_page(const boost::json::object& why, const Screen& screen,
                     std::span<const PhaseView> phases, WallMs now);

}  // namespace drover::cli
