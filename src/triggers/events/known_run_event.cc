#include "triggers/events/known_run_event.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "run/event.h"

namespace drover::triggers {
namespace {

std::vector<std::string> known_types() {
  std::vector<std::string> out{"run.reported"};  // Its subject is a report (inbox/).
  for (int i = 0; i <= std::to_underlying(run::EventType::taken_up); ++i) {
    out.emplace_back(run::name(static_cast<run::EventType>(i)));
  }
  return out;
}

}  // namespace

Result<> check_run_event(const EventPattern& pattern, std::string_view param) {
  const std::string type = pattern.text();
  if (!type.starts_with("run.") || type.ends_with('*')) return {};
  const std::vector<std::string> known = known_types();
  if (std::ranges::find(known, type) != known.end()) return {};
  const std::string best = nearest(type, known);
  return fail_invalid(std::string(param), "no event has the type " + type + "; " +
                                              (best.empty() ? "docs/events.md lists them"
                                                            : "did you mean " + best + "?"));
}

}  // namespace drover::triggers
