// How the RunDispatcher changes lanes, and the places of those that wait in them (R16).
#include "base/crash_point.h"
#include "dispatch/run_dispatcher.h"

namespace drover::dispatch {

asio::awaitable<Result<store::Lane>> RunDispatcher::set_lane(store::LaneSet wish) {
  auto written = co_await spine_.record(wish);
  if (!written) co_return std::unexpected(written.error());
  crash_point("lane.recorded");
  auto all = store_.lanes();
  if (!all) co_return std::unexpected(all.error());
  for (store::Lane& lane : *all) {
    if (lane.name != wish.name) continue;
    lanes_.set_limit(lane.name, lane.limit);
    lanes_.set_paused(lane.name, lane.paused_at != 0);
    claim_next();
    co_return std::move(lane);
  }
  co_return fail(ErrorCode::not_found, "not_found", "somebody has just removed it", "lane");
}

asio::awaitable<Result<>> RunDispatcher::remove_lane(std::string lane) {
  auto written = co_await spine_.record(store::LaneRemoved{lane});
  if (!written) co_return std::unexpected(written.error());
  // A run that was submitted right behind it has brought it back, with the limit of a new one.
  lanes_.reset(lane);
  co_return Result<>{};
}

asio::awaitable<Result<run::Record>> RunDispatcher::move(run::Moved wish) {
  auto written = co_await spine_.record(std::move(wish));
  if (!written) co_return std::unexpected(written.error());
  crash_point("move.recorded");
  const run::Record& record = written->record;
  if (written->left) lanes_.leave(record, written->left->lane, written->left->priority);
  settle(record);
  claim_next();
  co_return record;
}

}  // namespace drover::dispatch
