#include "triggers/month/simulated_daemon_fixture.h"

#include <stdexcept>

#include "follow/cursor.h"
#include "testing/breaking_disk.h"
#include "testing/until.h"
#include "triggers/firing/results.h"
#include "triggers/tables.h"

namespace drover::triggers::month {
namespace {

// A store may not answer before its disk is repaired.
constexpr int kIdleTurns = 20;
// Before another try of a broken disk: long enough that nothing happens in between (settle).
constexpr auto kStoreRetry = std::chrono::milliseconds(20);

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().reason + ": " + result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace

SimulatedDaemon::SimulatedDaemon(const SimulatedDaemonParts& p) : clock(p.clock) {
  store::sqlite::Options options{.vfs = drover::testing::BreakingDisk::kName};
  options.rooms = {follow::kTables, kTables};
  store = must(store::SqliteStore::open(p.home.database(), p.clock, options));
  const auto executor = loop.get_executor();
  reads.emplace(executor, *store);
  workers.emplace(executor, work::Bounds{});
  bell.emplace(*store, must(store->last_seq()));
  bell->read_with(*reads);
  spine.emplace(executor, *store, *bell);
  dispatcher.emplace(p.clock, *store, recorder(), p.processes);
  followers.emplace(executor, *reads, *bell, recorder(), kStoreRetry);
  poller.emplace(p.fetch, *workers, p.clock, *reads, recorder());
  files.emplace(executor, *workers, p.clock, *reads, recorder());
  firing.emplace(*reads, *dispatcher, recorder(), p.home, environment, "/");
  auto fake = std::make_unique<testing::ManualTimer>();
  timer = fake.get();
  timetable.emplace(executor, p.clock, *reads, *firing, *poller, std::move(fake));
  pending.emplace(executor, *reads, *bell, *firing, kStoreRetry);
  hooks.emplace(p.clock, *reads, recorder(), *firing, environment);
  triggers.emplace(p.clock, *reads, recorder(), p.home, *firing, decided,
                   [this](const StoredTrigger* now, const std::string& name) { see(now, name); });
  for (const StoredTrigger& trigger : must(triggers_of(*store, "event"))) events.set(trigger);
  for (const StoredTrigger& trigger : must(triggers_of(*store, "webhook"))) hooks->set(trigger);
  must(run(recorder()(store::LaneSet{"default", 10'000})).value());
  must(run(dispatcher->recover(true)).value());
  std::vector<follow::Follower> all{results_follower()};
  for (follow::Follower& one : event_followers(events, decided)) all.push_back(std::move(one));
  must(run(followers->begin(std::move(all))).value());
  for (const StoredTrigger& trigger : must(triggers_of(*store, "file"))) files->set(trigger);
  timetable->begin();
  pending->begin();
}

SimulatedDaemon::~SimulatedDaemon() = default;

void SimulatedDaemon::see(const StoredTrigger* now, const std::string& name) {
  if (now == nullptr) {
    events.remove(name);
    files->remove(name);
    hooks->remove(name);
  } else {
    events.set(*now);
    files->set(*now);
    hooks->set(*now);
  }
  timetable->wake();
}

spine::Recorder SimulatedDaemon::recorder() {
  return [this](store::Write write) -> asio::awaitable<Result<store::Written>> {
    ++writes;
    auto written = co_await spine->record(std::move(write));
    --writes;
    co_return written;
  };
}

void SimulatedDaemon::settle() {
  for (int idle = 0; idle < kIdleTurns || !drover::testing::BreakingDisk::broke();) {
    if (loop.poll() > 0) continue;
    const bool busy = writes > 0 || reads->pool().running() + reads->pool().waiting() > 0 ||
                      workers->running() + workers->waiting() > 0;
    if (busy) {
      idle += loop.run_one_for(std::chrono::milliseconds(10)) == 0 ? 1 : 0;
    } else if (loop.poll() == 0) {
      return;
    }
  }
}

bool SimulatedDaemon::is_caught_up() {
  for (const follow::FollowerStatus& status : followers->list()) {
    if (status.stopped_at != 0) throw std::runtime_error(status.name + ": " + status.reason);
    if (status.lag != 0) return false;
  }
  const auto waiting = triggers::pending(*store, 1);
  const auto due = due_triggers(*store, clock.wall_ms(), 1);
  return waiting && waiting->empty() && due && due->empty();
}

void SimulatedDaemon::catch_up() {
  const bool is_done = testing::becomes_true([&] {
    settle();
    if (is_caught_up()) return true;
    loop.run_one_for(std::chrono::milliseconds(10));
    return false;
  });
  if (!is_done) throw std::runtime_error("it does not catch up");
}

}  // namespace drover::triggers::month
