#include "run/admission.h"

#include <fmt/format.h>

#include "run/kind.h"

namespace drover::run {

Result<> admit(const Record& record, const Moment& moment) {
  if (!may_stand_in(record.lane, record.kind)) {
    return fail(ErrorCode::conflict, "lane_reserved",
                fmt::format("lane {} is for what belongs to a play; use another", record.lane),
                "lane");
  }
  if (!moment.lane_draining || belongs_to_play(record.kind)) return {};
  if (is_composite(record.kind)) {
    return fail(ErrorCode::conflict, "lane_draining",
                fmt::format("lane {0} is draining: what is being played may go on, and nothing "
                            "else begins; `drover lane resume {0}`",
                            kPlayLane),
                "lane");
  }
  return fail(ErrorCode::conflict, "lane_draining",
              fmt::format("lane {0} is draining and takes no more; use another, or `drover lane "
                          "resume {0}`",
                          record.lane),
              "lane");
}

Result<> give_slot(const Record& record, const Moment& moment) {
  if (moment.lane_paused) {
    return fail(ErrorCode::conflict, "lane_paused",
                fmt::format("lane {0} is paused; `drover lane resume {0}`", record.lane), "lane");
  }
  if (!moment.lane_has_room) {
    return fail(ErrorCode::conflict, "lane_full",
                fmt::format("lane {} has no free slot", record.lane), "lane");
  }
  return {};
}

}  // namespace drover::run
