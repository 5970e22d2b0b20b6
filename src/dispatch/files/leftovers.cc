#include "dispatch/files/leftovers.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "base/crash_point.h"
#include "base/journal.h"
#include "base/limits.h"
#include "log/log.h"
#include "process/cgroup.h"

namespace drover::dispatch {
namespace {

constexpr std::chrono::milliseconds kLookAgain{20};
constexpr int kClearTries = 50;      // One second for killed processes to disappear.
constexpr WallMs kShortly = 60'000;  // Nothing that was interrupted is older.

}  // namespace

Result<> Leftovers::sort_trash() {
  for (const RunId& id : directories_.trash()) {
    auto record = host_.store.find(id);
    if (!record) return std::unexpected(record.error());
    if (*record) {
      directories_.bring_back(id);  // The deletion was never recorded.
      crash_point("recovery.brought_back");
    } else {
      directories_.empty_trash(id);
    }
  }
  return {};
}

void Leftovers::sweep(const std::vector<run::Record>& active) {
  sweep_files();
  host_.spawn(sweep_cgroups(stray_cgroups(active)));
  host_.spawn(forget_environments());
}

// A daemon that died during a submission may leave a run's file without a record. Such a file
// is younger than the newest record, or nearly so: older ones are not looked at.
void Leftovers::sweep_files() {
  auto newest = host_.store.list({.limit = 1});
  if (!newest) return;
  const RunId since =
      newest->empty() ? RunId() : RunId::earliest(newest->front().id.time() - kShortly);
  directories_.list_since(since, [this, &host = host_](std::vector<RunId> found) {
    asio::post(host.loop, [this, found = std::move(found)] {
      for (const RunId& id : found) look_at_file(id);
    });
  });
}

void Leftovers::look_at_file(const RunId& id) {
  auto record = host_.store.find(id);
  if (!record || *record || id >= born_) return;
  // If a keeper has claimed it, it is no interrupted submission: a person should look.
  const auto probe = probe_journal(host_.home.run_file(id));
  if (probe && probe->liveness == Liveness::unclaimed) {
    crash_point("recovery.stray_found");
    directories_.discard(id);
  } else {
    log::error(id, "the run directory has no record; see `drover doctor --verify`");
  }
}

// A killed keeper leaves its run's cgroup behind. Those of active runs are in use.
std::vector<std::string> Leftovers::stray_cgroups(const std::vector<run::Record>& active) const {
  std::vector<std::string> strays = process::cgroups_in(cgroups_);
  std::erase_if(strays, [&](const std::string& name) {
    const auto id = RunId::parse(name);
    return !id || std::ranges::find(active, *id, &run::Record::id) != active.end();
  });
  return strays;
}

// After the doors are open: a kill takes a moment, and no client should wait for it. A cgroup that
// cannot be removed is left for the next daemon.
asio::awaitable<void> Leftovers::sweep_cgroups(std::vector<std::string> strays) {
  for (int tries = 0; tries < kClearTries; ++tries) {
    std::erase_if(strays, [&](const std::string& name) {
      return process::try_to_clear_cgroup(cgroups_, name);
    });
    if (strays.empty()) co_return;
    co_await host_.pause(kLookAgain);
  }
  for (const std::string& name : strays) {
    log::error("cannot remove the cgroup {}/{} of a finished run", cgroups_, name);
  }
}

// A daemon that died right after a finish may have left an environment behind (R15). That run
// finished shortly before: older ones are not looked at. Other work of the loop runs after every
// page.
asio::awaitable<void> Leftovers::forget_environments() {
  constexpr std::int64_t kPage = limits::kSubscriberPage;
  const auto newest = host_.store.last_seq();
  std::optional<WallMs> since;
  for (std::int64_t end = newest.value_or(0); end > 0; end -= kPage) {
    const auto events = host_.store.events(
        {.after = std::max<std::int64_t>(0, end - kPage), .run = {}, .scope = {}, .limit = kPage});
    if (!events || events->empty()) co_return;
    if (!since) since = events->back().time - kShortly;
    for (const run::Event& event : *events) {
      if (event.terminal) directories_.forget_environment(event.run_id);
    }
    if (events->front().time < *since) co_return;
    co_await asio::post(host_.loop, asio::use_awaitable);
  }
}

}  // namespace drover::dispatch
