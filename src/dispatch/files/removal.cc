#include "dispatch/files/removal.h"

#include "base/crash_point.h"

namespace drover::dispatch {

asio::awaitable<Result<>> remove_run(const Host& host, RunDirectories& directories, RunId id) {
  auto record = host.store.find(id);
  if (!record) co_return std::unexpected(record.error());
  if (*record) {
    // Refused here, not by the spine: otherwise the run could finish meanwhile, be deleted after
    // all, and leave a directory that was not moved to the trash.
    const auto allowed = run::apply(&**record, run::Deleted{id}, {.kinds = host.kinds});
    if (!allowed) co_return std::unexpected(allowed.error());
    if (auto moved = directories.move_to_trash(id); !moved) {
      moved.error().reason = kFilesStuck;
      co_return moved;
    }
  }
  crash_point("delete.in_trash");
  auto written = co_await host.spine.record(run::Deleted{id});
  if (!written) {
    const auto still = host.store.find(id);  // `unavailable` does not say whether it landed.
    if (still && *still) directories.bring_back(id);
    co_return std::unexpected(written.error());
  }
  crash_point("delete.recorded");
  directories.empty_trash(id);
  co_return Result<>{};
}

}  // namespace drover::dispatch
