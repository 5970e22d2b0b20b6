#include "dispatch/recorded_point.h"

#include <algorithm>

#include "base/crash_point.h"

namespace drover::dispatch {

void pass_recorded_point(const store::Written& written) {
  using run::EventType;
  const auto first = std::ranges::find(written.events, written.record.id, &run::Event::run_id);
  if (first == written.events.end()) return;
  const auto is = [&](EventType type) { return first->type == name(type); };
  if (is(EventType::queued)) {
    crash_point("submit.recorded");
  } else if (is(EventType::ready)) {
    crash_point("review.recorded");
  } else if (is(EventType::moved)) {
    crash_point("move.recorded");
  } else if (is(EventType::starting)) {
    crash_point("claim.recorded");
  } else if (is(EventType::cancel_requested)) {
    crash_point("cancel.recorded");
  } else if (run::is_finished(written.record.state) && !is(EventType::deleted)) {
    crash_point("end.recorded");  // Perhaps together with its start.
  } else if (is(EventType::started)) {
    crash_point("start.recorded");
  }
}

}  // namespace drover::dispatch
