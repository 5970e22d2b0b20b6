#include "dispatch/files/leftovers.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <optional>
#include <ranges>
#include <utility>

#include "base/crash_point.h"
#include "base/journal.h"
#include "base/limits.h"
#include "base/probe_note.h"
#include "log/log.h"
#include "process/cgroup_place.h"
#include "process/cgroup_search.h"
#include "process/command.h"

namespace drover::dispatch {
namespace {

constexpr std::chrono::milliseconds kLookAgain{20};
constexpr int kClearTries = 50;      // One second for killed processes to disappear.
constexpr WallMs kShortly = 60'000;  // Nothing that was interrupted is older.
constexpr std::int64_t kPage = limits::kSubscriberPage;

store::EventQuery page_to(std::int64_t end) {
  return {.after = std::max<std::int64_t>(0, end - kPage), .run = {}, .scope = {}, .limit = kPage};
}

}  // namespace

Result<> Leftovers::sort_trash(store::Reads& store) {
  for (const RunId& id : directories_.trash()) {
    auto record = store.find(id);
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

void Leftovers::clear(const std::vector<run::Record>& active, store::Reads& store) {
  clear_files(store);
  host_.spawn(clear_cgroups(stray_cgroups(active)));
  forget_environments(store);
}

// A daemon that died during a submission may leave a run's file without a record. Such a file
// is younger than the newest record, or nearly so: older ones are not looked at.
void Leftovers::clear_files(store::Reads& store) {
  const auto newest = store.list({.limit = 1});
  if (!newest) return;
  const RunId since =
      newest->empty() ? RunId() : RunId::earliest(newest->front().id.time() - kShortly);
  directories_.list_since(since, [this, &host = host_](std::vector<RunId> found) {
    asio::post(host.loop, [this, found = std::move(found)]() mutable {
      host_.spawn(look_at_files(std::move(found)));
    });
  });
}

// Only files of earlier daemons: no run is recorded any more for a file that has none.
asio::awaitable<void> Leftovers::look_at_files(std::vector<RunId> found) {
  std::erase_if(found, [this](const RunId& id) { return id >= born_; });
  for (const RunId& id : found) {
    const auto record = co_await host_.reads.find(id);
    if (record && !*record) clear_away(id);
  }
}

void Leftovers::clear_away(const RunId& id) {
  // If a keeper has claimed it, it is not an interrupted submission: a person should look.
  const auto journal = read_journal_state(host_.home.run_file(id));
  const auto command = process::read_command(host_.home.run_file(id));
  const bool is_probe = command && command->note == kProbeNote;  // Nobody waits for it any more.
  if (journal && (journal->liveness == Liveness::unclaimed || is_probe)) {
    crash_point("recovery.stray_found");
    directories_.discard(id);
  } else {
    log::error(id, "the run directory has no record; see `drover doctor --verify`");
  }
}

// A killed keeper leaves its cgroup and that of its run behind. Those of active runs, and of living
// keepers, are in use.
std::vector<std::string> Leftovers::stray_cgroups(const std::vector<run::Record>& active) const {
  std::vector<std::string> strays = process::cgroups_in(cgroups_);
  std::erase_if(strays, [&](const std::string& name) {
    if (const std::int32_t keeper = process::keeper_of_cgroup(name)) {
      return process::is_keeper_of(keeper, cgroups_);
    }
    const auto id = RunId::parse(name);
    return !id || std::ranges::find(active, *id, &run::Record::id) != active.end();
  });
  return strays;
}

// After the doors are open: a kill takes a moment, and no client should wait for it. A cgroup that
// cannot be removed is left for the next daemon.
asio::awaitable<void> Leftovers::clear_cgroups(std::vector<std::string> strays) {
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
// finished shortly before its last event: older ones are not looked at. The first page is done
// before the doors open.
void Leftovers::forget_environments(store::Reads& store) {
  const std::int64_t newest = store.last_seq().value_or(0);
  std::optional<WallMs> since;
  const auto first = store.events(page_to(newest));
  if (first && forget_page(*first, newest, since)) {
    host_.spawn(forget_older(newest - kPage, since));
  }
}

asio::awaitable<void> Leftovers::forget_older(std::int64_t newest, std::optional<WallMs> since) {
  for (std::int64_t end = newest; end > 0; end -= kPage) {
    const auto events = co_await host_.reads.ask(
        store::daemon_itself(),
        [query = page_to(end)](store::Reads& store) { return store.events(query); });
    if (!events || !forget_page(*events, end, since)) co_return;
  }
}

// False: older events are too old. `since` is set by the newest event.
bool Leftovers::forget_page(const std::vector<run::Event>& events, std::int64_t end,
                            std::optional<WallMs>& since) {
  for (const run::Event& event : events | std::views::reverse) {
    if (event.seq > end) continue;  // Compaction leaves gaps: the page has later events as well.
    if (!since) since = event.time - kShortly;
    if (event.is_final) directories_.forget_environment(event.run_id);
  }
  return !since || events.empty() || events.front().time >= *since;
}

}  // namespace drover::dispatch
