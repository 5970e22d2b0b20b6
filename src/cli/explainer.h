// An Explainer answers `drover why NAME` for a thing of a room that is not a run, such as a
// trigger. `why` asks the explainers of all rooms, in addition to the run of that name.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

struct Explainer {
  // The daemon's answer about NAME; at a time, if --at was given. not_found: there is no such
  // thing.
  Result<boost::json::object> (*ask)(Context& context, const std::string& name,
                                     std::optional<WallMs> at);
  // The answer for people. Pure.
  std::string (*page)(const boost::json::object& answer, const Screen& screen, WallMs now);
  // Completes NAME.
  void (*offer)(Context& context, const CompletionRequest& wanted, std::vector<Candidate>& out);
};

}  // namespace drover::cli
