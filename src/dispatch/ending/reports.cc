#include "dispatch/ending/reports.h"

#include "base/crash_point.h"
#include "dispatch/ending/endings.h"
#include "log/log.h"

namespace drover::dispatch {
namespace {

constexpr int kPrepareTries = 40;  // Twenty seconds for the file of the next attempt.

}  // namespace

bool Reports::take(const RunId& id, const process::Report& report) {
  Flight* flight = flights_.find(id);
  if (flight == nullptr) return true;  // It finished in another way: canceled before it started.
  switch (report.header.kind) {
    case process::ReportKind::started:
      flight->started = true;
      crash_point("start.reported");
      record_start(id, sound_time(report.started.wall_ms));
      return true;
    case process::ReportKind::ended: {
      run::Ended ended =
          ended_from(id, report.ended.ending, flight->program, flight->cwd, report.ended.usage);
      ended.started_at = sound_time(report.ended.started_wall_ms);
      complete_start(ended);
      flight->kept_to_the_end = true;
      crash_point("end.reported");
      host_.spawn(record_end(std::move(ended)));
      return true;
    }
    case process::ReportKind::refused:
      host_.spawn(record_end(run::Ended{
          .id = id,
          .ending = run::NotLaunched{report.failure.step, report.failure.error_number, {}}}));
      return true;
    case process::ReportKind::grown:
      record_growth(id, report.grown);
      return true;
    case process::ReportKind::occupied:  // Another keeper had claimed the run's file.
    case process::ReportKind::lost:
      return false;
  }
  return true;
}

// Not repeated if it fails: the next one says more.
void Reports::record_growth(const RunId& id, const process::GrowthReport& grown) {
  const run::OutputGrowth growth{.bytes = sound_count(grown.bytes),
                                 .lines = sound_count(grown.lines)};
  host_.spine.record(run::Progressed{.id = id, .what = growth},
                     [](const Result<store::Written>&) {});
}

void Reports::record_start(const RunId& id, WallMs at) {
  host_.spine.record(run::Started{.id = id, .at = at},
                     [this, id, at](const Result<store::Written>& written) {
                       if (written || written.error().code != ErrorCode::unavailable) return;
                       host_.spawn(record_start_later(id, at));
                     });
}

asio::awaitable<void> Reports::record_start_later(RunId id, WallMs at) {
  co_await host_.pause(kWriteAgain);
  if (flights_.contains(id)) record_start(id, at);
}

asio::awaitable<void> Reports::record_end(run::Ended ended) {
  const RunId id = ended.id;
  // A full disk may have space soon; but the finish is delayed no longer than that.
  for (int tries = 0;
       !co_await attempts_.prepare(ended, flights_.find(id)) && tries < kPrepareTries; ++tries) {
    co_await host_.pause(kWriteAgain);
  }
  if (!progress_.empty()) ended.progress = progress_.take_last(id);
  while (true) {
    auto written = co_await host_.spine.record(ended);
    if (written) {
      co_return co_await attempts_.settle(ended, &*written);
    }
    const ErrorCode refusal = written.error().code;
    if (refusal == ErrorCode::conflict || refusal == ErrorCode::not_found) {
      // Its finish was recorded before, perhaps by us; a finish is final (H7). The spine has logged
      // the refusal.
      flights_.remove(id);
      co_return co_await attempts_.settle(ended, nullptr);
    }
    log::error(id, "cannot record yet that it finished: {}", written.error().message);
    co_await host_.pause(kWriteAgain);
  }
}

}  // namespace drover::dispatch
