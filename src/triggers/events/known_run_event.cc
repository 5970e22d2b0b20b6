#include "triggers/events/known_run_event.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "triggers/events/event_follower.h"

namespace drover::triggers {
namespace {

std::vector<std::string> known_types() {
  std::vector<std::string> out(kFinishedRunTypes.begin(), kFinishedRunTypes.end());
  out.emplace_back("run.reported");  // Its subject is a report (inbox/).
  return out;
}

}  // namespace

Result<> check_run_event(const EventPattern& pattern, std::string_view param) {
  const std::string type = pattern.text();
  if (!type.starts_with("run.")) return {};
  const std::vector<std::string> known = known_types();
  if (std::ranges::any_of(known, [&](const std::string& one) { return pattern.matches(one); })) {
    return {};
  }
  const std::string best = nearest(type, known);
  const std::string hint = best.empty() ? "" : "did you mean " + best + "? ";
  return fail_invalid(
      std::string(param),
      fmt::format("no trigger gets the event {}; {}the events of runs that start one are {}", type,
                  hint, fmt::join(known, ", ")));
}

}  // namespace drover::triggers
