#include "cmd/triggers_room.h"

#include <unistd.h>

#include <array>
#include <boost/json/serialize.hpp>
#include <stdexcept>

#include "api/triggers/active_triggers.h"
#include "api/triggers/routes.h"
#include "base/fd.h"
#include "triggers/declared/check_files.h"
#include "triggers/declared/declared_triggers.h"
#include "triggers/events/event_follower.h"
#include "triggers/files/file_triggers.h"
#include "triggers/firing/pending_firings.h"
#include "triggers/firing/results.h"
#include "triggers/hooks/hook_triggers.h"
#include "triggers/tables.h"
#include "triggers/time/timetable.h"
#include "triggers/triggers.h"

namespace drover {
namespace {

struct TriggersService final : RoomService {
  TriggersService(const DaemonParts& p, std::unique_ptr<work::WallTimer> timer,
                  std::unique_ptr<triggers::Fetcher> opened)
      : at_startup(p.at_startup),
        fetcher(std::move(opened)),
        poller([this](triggers::FetchRequest request) { return fetcher->get(std::move(request)); },
               p.workers, p.clock, p.reads, p.record),
        files(p.loop, p.workers, p.clock, p.reads, p.record),
        firing(p.reads, p.dispatcher, p.record, p.home, p.environment, p.programs),
        timetable(p.loop, p.clock, p.reads, firing, poller, std::move(timer)),
        pending(p.loop, p.reads, p.bell, firing),
        hooks(p.clock, p.reads, p.record, firing, p.environment),
        triggers(p.clock, p.reads, p.record, p.home, firing, decided,
                 [this](const triggers::StoredTrigger* now, const std::string& name) {
                   see(now, name);
                   // A declared trigger of its name may exist now.
                   if (now == nullptr) declared.wake();
                 }),
        declared({.loop = p.loop,
                  .workers = p.workers,
                  .clock = p.clock,
                  .reads = p.reads,
                  .bell = p.bell,
                  .record = p.record,
                  .home = p.home,
                  .decided = decided,
                  .changed = [this](const triggers::StoredTrigger* now, const std::string& name) {
                    see(now, name);
                  }}) {
    // Before the followers begin: they must miss no event that a trigger waits for.
    for (const triggers::StoredTrigger& trigger : all_of("event")) events.set(trigger);
    for (const triggers::StoredTrigger& trigger : all_of("webhook")) hooks.set(trigger);
  }

  std::vector<triggers::StoredTrigger> all_of(std::string_view source) {
    auto all = triggers::triggers_of(at_startup, source);
    if (!all) throw std::runtime_error(all.error().message);
    return std::move(*all);
  }
  void see(const triggers::StoredTrigger* now, const std::string& name) {
    if (now == nullptr) {
      events.remove(name);
      files.remove(name);
      hooks.remove(name);
    } else {
      events.set(*now);
      files.set(*now);
      hooks.set(*now);
    }
    timetable.wake();
  }

  std::vector<follow::Follower> followers() override {
    return triggers::event_followers(events, decided);
  }
  void begin() override {
    for (const triggers::StoredTrigger& trigger : all_of("file")) files.set(trigger);
    declared.begin([this] {
      timetable.begin();
      pending.begin();
    });
  }

  store::Reads& at_startup;
  std::unique_ptr<triggers::Fetcher> fetcher;
  triggers::Poller poller;
  triggers::FileTriggers files;
  triggers::Firing firing;
  triggers::Timetable timetable;
  triggers::PendingFirings pending;
  triggers::HookTriggers hooks;
  triggers::EventIndex events;
  triggers::DecidedEvents decided;
  triggers::Triggers triggers;
  triggers::DeclaredTriggers declared;
};

std::unique_ptr<RoomService> make_service(const DaemonParts& parts, api::Rooms& objects) {
  auto timer = work::SystemWallTimer::open(parts.loop);
  if (!timer) throw std::runtime_error(timer.error().message);
  auto fetcher = triggers::Fetcher::open(parts.loop);
  if (!fetcher) throw std::runtime_error(fetcher.error().message);
  auto service = std::make_unique<TriggersService>(parts, std::move(*timer), std::move(*fetcher));
  objects.add(service->triggers);
  objects.add(service->declared);
  objects.add(service->hooks);
  objects.add(service->files);
  return service;
}

std::vector<follow::Follower> make_followers(const DaemonParts&) {
  return {triggers::results_follower()};
}

// For `drover trigger validate`: without a daemon.
Result<int> check_files(const std::string& files, bool) {
  const auto report = triggers::check_files(files);
  if (!report) return std::unexpected(report.error());
  (void)write_all(STDOUT_FILENO, boost::json::serialize(*report) + "\n");
  return 0;
}

constexpr auto kOptions = std::to_array<RoomOption>({
    {"--check-triggers", "FILES", "Check files that declare triggers (a JSON list of paths)",
     check_files},
});

}  // namespace

const Room kTriggersRoom{
    .name = "triggers",
    .tables = &triggers::kTables,
    .routes = api::triggers_routes,
    .followers = make_followers,
    .service = make_service,
    .options = kOptions,
    .keeps = api::active_triggers,
};

}  // namespace drover
