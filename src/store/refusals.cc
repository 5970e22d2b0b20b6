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
      fmt::format("{} runs are already queued; try again when some have finished", queued_max));
}

std::unexpected<Error> write_queue_full() {
  return fail(ErrorCode::unavailable, "write_queue_full",
              "the disk cannot keep up with the writes; try again in a moment");
}

std::unexpected<Error> lane_busy(std::string_view lane) {
  return fail(
      ErrorCode::conflict, "lane_busy",
      fmt::format(
          "lane {0} has unfinished runs; wait for them or cancel them (`drover ps --lane {0}`)",
          lane),
      "lane");
}

std::unexpected<Error> lane_stays(std::string_view lane) {
  return fail(ErrorCode::conflict, "lane_stays",
              fmt::format("lane {0} cannot be removed; `drover lane pause {0}` pauses it", lane),
              "lane");
}

std::unexpected<Error> no_such_lane(std::string_view lane) {
  return fail(ErrorCode::not_found, "not_found",
              fmt::format("there is no lane {}; `drover lane ls` lists them", lane), "lane");
}

std::unexpected<Error> work_slow() {
  return fail(ErrorCode::exhausted, std::string(kWorkSlow),
              fmt::format("this write took more than {} ms and was rolled back", limits::kWorkMs));
}

std::unexpected<Error> work_without_event() {
  return fail(ErrorCode::conflict, "work_untold",
              "this write changed data without an event and was rolled back");
}

std::unexpected<Error> commit_unknown(std::string_view why) {
  return fail(ErrorCode::unavailable, "commit_unknown",
              fmt::format("the commit failed and the database cannot be read ({}); send the "
                          "request again: repeating it is safe",
                          why));
}

}  // namespace drover::store
