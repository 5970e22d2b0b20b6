#include "store/refusals.h"

#include <fmt/format.h>

#include "base/limits.h"

namespace drover::store {

std::unexpected<Error> key_reused(std::string_view run_id) {
  return fail(ErrorCode::conflict, "idempotency_key_reused",
              fmt::format("this key was used for another request ({}); use a new key", run_id),
              "Idempotency-Key");
}

std::unexpected<Error> key_of_deleted(std::string_view run_id) {
  return fail(ErrorCode::conflict, "idempotency_key_reused",
              fmt::format("the run of this key ({}) has been deleted; use a new key", run_id),
              "Idempotency-Key");
}

std::unexpected<Error> queue_full(size_t queued_max) {
  return fail(
      ErrorCode::unavailable, "queue_full",
      fmt::format("{} runs are waiting already; try again when some have ended", queued_max));
}

std::unexpected<Error> write_queue_full() {
  return fail(ErrorCode::unavailable, "write_queue_full",
              "more is being written than the disk takes; try again in a moment");
}

std::unexpected<Error> lane_busy(std::string_view lane) {
  return fail(ErrorCode::conflict, "lane_busy",
              fmt::format("lane {0} has runs; `drover lane drain {0}` lets them finish", lane),
              "lane");
}

std::unexpected<Error> lane_stays(std::string_view lane) {
  return fail(ErrorCode::conflict, "lane_stays",
              fmt::format("lane {} is always there; `drover lane pause` stops it", lane), "lane");
}

std::unexpected<Error> no_such_lane(std::string_view lane) {
  return fail(ErrorCode::not_found, "not_found",
              fmt::format("there is no lane {}; `drover lane ls` lists them", lane), "lane");
}

std::unexpected<Error> work_slow() {
  return fail(ErrorCode::exhausted, std::string(kWorkSlow),
              fmt::format("this write took more than {} ms and was interrupted; nothing of it is "
                          "written",
                          limits::kWorkMs));
}

std::unexpected<Error> work_untold() {
  return fail(ErrorCode::conflict, "work_untold",
              "this write changed something and told no event; nothing of it is written");
}

std::unexpected<Error> commit_unknown(std::string_view why) {
  return fail(ErrorCode::unavailable, "commit_unknown",
              fmt::format("the commit failed and the database cannot be read ({}); send it again, "
                          "a repetition is harmless",
                          why));
}

}  // namespace drover::store
