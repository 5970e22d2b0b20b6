#include "dispatch/files/removal.h"

#include "base/crash_point.h"

namespace drover::dispatch {
namespace {

// Refused here, not by the spine: otherwise the run could finish meanwhile, be deleted after all,
// and leave a directory that was not moved to the trash.
Result<> take_files(const Host& host, RunDirectories& directories, const run::Record& record) {
  const auto allowed = run::apply(&record, run::Deleted{record.id}, {.kinds = host.kinds});
  if (!allowed) return std::unexpected(allowed.error());
  auto moved = directories.move_to_trash(record.id);
  if (!moved) moved.error().reason = kFilesStuck;
  return moved;
}

asio::awaitable<Result<>> record_removal(const Host& host, RunDirectories& directories, RunId id) {
  crash_point("delete.in_trash");
  auto written = co_await host.spine.record(run::Deleted{id});
  if (!written) {
    // `unavailable` does not say whether it landed.
    const auto still = co_await host.reads.find(id);
    if (still && *still) directories.bring_back(id);
    co_return std::unexpected(written.error());
  }
  crash_point("delete.recorded");
  directories.empty_trash(id);
  co_return Result<>{};
}

}  // namespace

asio::awaitable<Result<>> remove_run(const Host& host, RunDirectories& directories, RunId id) {
  const auto record = co_await host.reads.find(id);
  if (!record) co_return std::unexpected(record.error());
  if (*record) {
    if (auto taken = take_files(host, directories, **record); !taken) co_return taken;
  }
  co_return co_await record_removal(host, directories, id);
}

asio::awaitable<Result<>> remove_run(const Host& host, RunDirectories& directories,
                                     run::Record record) {
  if (auto taken = take_files(host, directories, record); !taken) co_return taken;
  co_return co_await record_removal(host, directories, record.id);
}

}  // namespace drover::dispatch
