// How the RunDispatcher picks up what an earlier daemon left: recovery, applied (H10).
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "base/crash_point.h"
#include "dispatch/endings.h"
#include "dispatch/run_dispatcher.h"
#include "log/log.h"
#include "process/sweep.h"
#include "run/kind.h"

namespace drover::dispatch {
namespace {

constexpr std::chrono::milliseconds kLookAgain{20};  // A launch takes a few.
constexpr int kClearTries = 50;                      // A second for what was killed to be gone.

}  // namespace

asio::awaitable<Result<>> RunDispatcher::recover() {
  auto lanes = store_.lanes();
  if (!lanes) co_return std::unexpected(lanes.error());
  for (const store::Lane& lane : *lanes) {
    lanes_.set_limit(lane.name, lane.limit);
    lanes_.set_paused(lane.name, lane.paused_at != 0);
  }

  if (auto started = launcher_.start(
          [this](const RunId& id, const process::Report& report) { on_report(id, report); },
          [this](const std::vector<RunId>& orphans) {
            for (const RunId& id : orphans) look_again(id);
          });
      !started) {
    co_return started;
  }
  crash_point("recovery.cradle_started");
  if (auto sorted = co_await sort_trash(); !sorted) co_return sorted;
  crash_point("recovery.trash_sorted");

  auto active =
      store_.list({.active_only = true, .oldest_first = true, .limit = limits::kQueuedMax});
  if (!active) co_return std::unexpected(active.error());
  for (const run::Record& record : *active) lanes_.see(record);
  // Slots that come free on the way are given away afterwards: until then a run that waits is as
  // the last daemon left it, and may be one that must not begin any more.
  recovering_ = true;
  for (const run::Record& record : *active) co_await restore(record);
  recovering_ = false;
  for (const run::Record& record : *active) {
    if (record.held) settle_as_stored(record.id);
  }
  if (!active->empty()) log::info("recovered {} active runs", active->size());
  sweep_stray_folders();
  spawn(sweep_stray_cgroups(stray_cgroups(*active)));
  spawn(forget_environments());
  claim_next();
  crash_point("recovery.done");
  co_return Result<>{};
}

std::vector<std::pair<std::string_view, size_t>> RunDispatcher::recovered() const {
  std::vector<std::pair<std::string_view, size_t>> out;
  for (const Remedy remedy : kRemedies) {
    out.emplace_back(name(remedy), recovered_[static_cast<size_t>(remedy)]);
  }
  return out;
}

asio::awaitable<void> RunDispatcher::restore(run::Record record) {
  if (run::is_composite(record.kind)) co_return;  // Whoever directs it goes on with it.
  const RunId id = record.id;
  const std::string file = home_.run_file(id);
  auto probe = probe_journal(file);
  if (!probe) {
    // No descriptor left, say. That says nothing about its keeper: look again, conclude nothing.
    log::error(id, "{}", probe.error().message);
    take_off(record).inherited |= recovering_;
    spawn(look_later(id));
    co_return;
  }
  const Remedy remedy = remedy_for(record, *probe);
  crash_point("recovery.looked");
  if (recovering_) ++recovered_[static_cast<size_t>(remedy)];
  if (remedy == Remedy::wait) {
    // It took off when it could not be looked at; claimed with that, nobody would launch it.
    if (flights_.erase(id) > 0) settle_as_stored(id);
    co_return;
  }
  Flight& flight = take_off(record);
  flight.inherited = false;
  switch (remedy) {
    case Remedy::wait:
      co_return;
    case Remedy::adopt:
      flight.started = true;
      watch_.watch(id);
      if (record.state == run::State::starting) spawn(learn_start(id));
      // Intents on record are repeated: the last daemon may have died before it passed them on.
      crash_point("recovery.adopted");
      if (record.cancel_requested) spawn(stop_flight(id, record.grace_ms));
      co_return;
    case Remedy::conclude:
      co_await conclude(id, probe->text);
      co_return;
    case Remedy::launch:
      // Nobody's name, or the mark of a daemon that forbade it and died before it said why.
      if (probe->liveness == Liveness::dead) (void)allow_launch(file);
      launcher_.launch(id);
      co_return;
    case Remedy::never_start: {
      const auto forbidden = forbid_launch(file);
      if (forbidden && !*forbidden) {  // A late keeper was quicker: it is alive after all.
        const auto stored = store_.find(id);
        if (stored && *stored && run::is_active((*stored)->state)) co_await restore(**stored);
        co_return;
      }
      co_await record_end(run::Ended{.id = id, .ending = run::NeverStarted{}});
      co_return;
    }
  }
}

// An adopted keeper reports to a daemon that is gone. It may be on its way from its claim to its
// command, so this looks until it has got there.
asio::awaitable<void> RunDispatcher::learn_start(RunId id) {
  while (flights_.contains(id)) {
    const auto probe = probe_journal(home_.run_file(id));
    if (probe && probe->text.started) {
      record_start(id, probe->text.started->wall_ms);
      co_return;
    }
    if (probe && probe->liveness != Liveness::alive) co_return;  // Its end is what there is to say.
    co_await pause(kLookAgain);
  }
}

asio::awaitable<void> RunDispatcher::conclude(RunId id, JournalText text) {
  const bool other_boot =
      text.identity && std::string_view(text.identity->boot_id) != std::string_view(boot_.text);
  if (!text.ending && !other_boot) {
    // No proof that everything of it is gone: make it so before anybody is told that it ended.
    const auto left_alive = co_await asio::co_spawn(
        folders_.janitor(),
        [](std::string mark, std::string cgroups,
           RunId run) -> asio::awaitable<std::vector<process::Member>> {
          auto left = process::kill_marked(mark);
          process::clear_cgroup(cgroups, run.view());
          co_return left;
        }("DROVER_RUN_ID=" + id.str(), settings_.cgroups.folder, id),
        asio::use_awaitable);
    crash_point("recovery.swept");
    for (const process::Member& left : left_alive) {
      log::error(id, "process {} ({}) cannot be ended", left.ref.pid,
                 static_cast<const char*>(left.stat.name));
    }
  }
  line_.hang_up(id);
  const Flight& flight = flights_[id];
  co_await record_end(ended_from_journal(id, text, boot_.text, flight.program, flight.cwd));
}

asio::awaitable<Result<>> RunDispatcher::sort_trash() {
  for (const RunId& id : folders_.trash()) {
    auto record = store_.find(id);
    if (!record) co_return std::unexpected(record.error());
    if (*record) {
      folders_.bring_back(id);  // The deletion was never recorded.
      crash_point("recovery.brought_back");
    } else {
      folders_.empty_trash(id);
    }
  }
  co_return Result<>{};
}

// A daemon that died between an end and what follows it may have left an environment behind (R15).
// That run ended shortly before: history is not walked. Others get their turn after every page.
asio::awaitable<void> RunDispatcher::forget_environments() {
  constexpr std::int64_t kPage = limits::kSubscriberPage;
  constexpr WallMs kShortly = 60'000;
  const auto newest = store_.last_seq();
  std::optional<WallMs> since;
  for (std::int64_t end = newest.value_or(0); end > 0; end -= kPage) {
    const auto events = store_.events(
        {.after = std::max<std::int64_t>(0, end - kPage), .run = {}, .scope = {}, .limit = kPage});
    if (!events || events->empty()) co_return;
    if (!since) since = events->back().time - kShortly;
    for (const run::Event& event : *events) {
      if (event.terminal) folders_.forget_environment(event.run_id);
    }
    if (events->front().time < *since) co_return;
    co_await asio::post(loop_, asio::use_awaitable);
  }
}

// A keeper that was killed leaves its run's cgroup behind. Those of active runs are in use.
std::vector<std::string> RunDispatcher::stray_cgroups(
    const std::vector<run::Record>& active) const {
  std::vector<std::string> strays = process::cgroups_in(settings_.cgroups.folder);
  std::erase_if(strays, [&](const std::string& name) {
    const auto id = RunId::parse(name);
    return !id || std::ranges::find(active, *id, &run::Record::id) != active.end();
  });
  return strays;
}

// Behind open doors: a kill takes its moment, and nobody waits for it. What cannot be ended is left
// for the next daemon to try again.
asio::awaitable<void> RunDispatcher::sweep_stray_cgroups(std::vector<std::string> strays) {
  const std::string& place = settings_.cgroups.folder;
  for (int tries = 0; tries < kClearTries; ++tries) {
    std::erase_if(
        strays, [&](const std::string& name) { return process::try_to_clear_cgroup(place, name); });
    if (strays.empty()) co_return;
    co_await pause(kLookAgain);
  }
  for (const std::string& name : strays) {
    log::error("the cgroup {}/{} of a run that is over cannot be removed", place, name);
  }
}

// A daemon that died while a run was being submitted may leave its folder without a record. Such a
// folder is younger than the newest record, or nearly so: history is not walked.
void RunDispatcher::sweep_stray_folders() {
  auto newest = store_.list({.limit = 1});
  if (!newest) return;
  const RunId since =
      newest->empty() ? RunId() : RunId::earliest(newest->front().id.time() - 60'000);
  folders_.list_since(since, [this](std::vector<RunId> found) {
    asio::post(loop_, [this, found = std::move(found)] {
      for (const RunId& id : found) {
        auto record = store_.find(id);
        if (!record || *record || id >= born_) continue;
        // One that somebody began is no leftover of a submission: a person should look.
        const auto probe = probe_journal(home_.run_file(id));
        if (probe && probe->liveness == Liveness::unclaimed) {
          crash_point("recovery.stray_found");
          folders_.discard(id);
        } else {
          log::error(id, "its folder has no record; `drover doctor --verify` tells more");
        }
      }
    });
  });
}

}  // namespace drover::dispatch
