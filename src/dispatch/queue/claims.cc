#include "dispatch/queue/claims.h"

#include "base/crash_point.h"
#include "run/event_data.h"

namespace drover::dispatch {

Result<> Claims::load(store::Reads& store) {
  const auto lanes = store.lanes();
  if (!lanes) return std::unexpected(lanes.error());
  for (const store::Lane& lane : *lanes) take_on(lane);
  return {};
}

void Claims::take_on(const store::Lane& lane) {
  lanes_.set_limit(lane.name, lane.limit);
  lanes_.set_paused(lane.name, lane.paused_at != 0);
}

void Claims::open() {
  open_ = true;
  claim_next();
}

bool Claims::see(const run::Event& event) {
  constexpr std::string_view kSort = "lane/";
  if (!event.other.starts_with(kSort)) return false;
  const std::string lane = event.other.substr(kSort.size());
  if (event.type == "lane.removed") {
    lanes_.reset(lane);
    return true;
  }
  const auto data = run::data_of(event);
  const auto* limit = data.if_contains("limit");
  const auto* paused = data.if_contains("paused");
  if (limit != nullptr && limit->is_int64()) lanes_.set_limit(lane, limit->get_int64());
  if (paused != nullptr && paused->is_bool()) lanes_.set_paused(lane, paused->get_bool());
  return true;
}

void Claims::claim_next() {
  if (!open_ || closed_) return;
  for (const RunId& id : lanes_.pick()) {
    host_.spine.record(run::Claimed{id}, [this, id](const Result<store::Written>& claimed) {
      if (claimed) return;
      // Canceled or moved meanwhile, or the lane's limit was lowered: it keeps waiting if it is
      // still queued.
      lanes_.unpick(id);
      host_.spawn(look_at(id));
      if (claimed.error().code == ErrorCode::unavailable) host_.spawn(claim_later());
    });
  }
}

asio::awaitable<void> Claims::look_at(RunId id) {
  const auto stored = co_await host_.reads.find(id);
  if (!stored || !*stored || !host_.kinds.knows((*stored)->kind)) co_return;
  // The commits that were shown meanwhile are newer than the answer: they may have moved the run to
  // another queue, or removed it.
  const bool is_queued = (*stored)->state == run::State::queued;
  if (!is_queued && lanes_.is_waiting(id)) lanes_.see(**stored);
}

asio::awaitable<void> Claims::claim_later() {
  co_await host_.pause(kWriteAgain);
  claim_next();
}

asio::awaitable<Result<store::Lane>> Claims::set(store::LaneSet wish) {
  auto written = co_await host_.spine.record(wish);
  if (!written) co_return std::unexpected(written.error());
  crash_point("lane.recorded");
  auto all = co_await host_.reads.ask(store::daemon_itself(),
                                      [](store::Reads& store) { return store.lanes(); });
  if (!all) co_return std::unexpected(all.error());
  for (store::Lane& lane : *all) {
    if (lane.name == wish.name) co_return std::move(lane);
  }
  co_return fail(ErrorCode::not_found, "not_found", "lane " + wish.name + " has just been removed",
                 "lane");
}

asio::awaitable<Result<>> Claims::remove(std::string lane) {
  auto written = co_await host_.spine.record(store::LaneRemoved{lane});
  if (!written) co_return std::unexpected(written.error());
  co_return Result<>{};
}

asio::awaitable<Result<run::Record>> Claims::move(run::Moved wish) {
  auto written = co_await host_.spine.record(std::move(wish));
  if (!written) co_return std::unexpected(written.error());
  co_return std::move(written->record);
}

}  // namespace drover::dispatch
