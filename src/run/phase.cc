#include "run/phase.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace drover::run {
namespace {

void enter(Change& change, PhaseStep step, WallMs now) {
  change.after.phase = std::move(step.after);
  add_phase_event(change, step.event, now);
}

Result<> settle(Change& change, const Rest& rest, WallMs now) {
  Record& after = change.after;
  if (auto ok = step(after, rest.happening); !ok) return ok;
  after.reason = rest.reason;
  after.origin = rest.origin;
  after.exit_code = rest.exit_code;
  after.signal = rest.signal;
  after.message = bounded(rest.message, limits::kMessageBytesMax);
  after.finished_at = std::max(now, after.started_at);
  add_event(change, final_type(after.state), after.finished_at);
  return {};
}

}  // namespace

Result<> begin_phase(Change& change, const Kind& kind, WallMs now) {
  if (auto ok = step(change.after, Happening::started); !ok) return ok;
  change.after.started_at = now;
  add_event(change, EventType::started, now);
  auto first = kind.phase(change.after, kind.first_change);
  if (!first) return std::unexpected(first.error());
  if (!*first) return refused(change.after, Happening::started);
  enter(change, std::move(**first), now);
  return {};
}

Result<Change> change_phase(const Record& before, const Kind& kind, const PhaseChanged& fact,
                            WallMs now) {
  if (kind.phase == nullptr) {
    return fail(ErrorCode::conflict, "illegal_transition",
                fmt::format("{} is a {} and has no phase", before.id.view(), kind.name), "run_id");
  }
  auto next = kind.phase(before, fact.change);
  if (!next) return std::unexpected(next.error());
  if (!*next) return Change{Effect::none, before, {}};
  if (is_finished(before.state)) return refused(before, Happening::started);
  Change change{Effect::changed, before, {}};
  const bool at_rest = (*next)->at_rest;
  enter(change, std::move(**next), now);
  if (at_rest) {
    if (auto ok = settle(change, fact.rest, now); !ok) return std::unexpected(ok.error());
  }
  return change;
}

}  // namespace drover::run
