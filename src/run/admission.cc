#include "run/admission.h"

#include <fmt/format.h>

#include "run/kind.h"

namespace drover::run {

Result<> admit(const Record& record, const JudgementContext& context) {
  const Kind* kind = context.kinds.find(record.kind);
  const Kind* owner = context.kinds.owner_of(record.lane);
  const bool composite = kind != nullptr && kind->composite;
  const bool in_its_own = owner != nullptr && kind != nullptr && kind->lane == record.lane;
  if (owner != nullptr && !in_its_own) {
    return fail(ErrorCode::conflict, "lane_reserved",
                fmt::format("lane {} is reserved for the runs of a {}; use another lane",
                            record.lane, owner->name),
                "lane");
  }
  // An active composite may still submit its children; only they have a reserved lane of their own.
  if (!context.lane_draining || (kind != nullptr && !kind->lane.empty() && !composite)) return {};
  if (composite) {
    return fail(
        ErrorCode::conflict, "lane_draining",
        fmt::format(
            "lane {0} is draining and starts nothing new; reopen it with `drover lane resume {0}`",
            kind->lane),
        "lane");
  }
  return fail(ErrorCode::conflict, "lane_draining",
              fmt::format("lane {0} is draining and accepts no runs; use another lane, or reopen "
                          "it with `drover lane resume {0}`",
                          record.lane),
              "lane");
}

Result<> give_slot(const Record& record, const JudgementContext& context) {
  if (context.lane_paused) {
    return fail(
        ErrorCode::conflict, "lane_paused",
        fmt::format("lane {0} is paused; resume it with `drover lane resume {0}`", record.lane),
        "lane");
  }
  if (!context.lane_has_free_slot) {
    return fail(ErrorCode::conflict, "lane_full",
                fmt::format("lane {} has no free slot", record.lane), "lane");
  }
  return {};
}

}  // namespace drover::run
