// A SimulatedDaemon has the real store, the followers and all parts of this room, connected as in
// cmd/triggers_room.cc, with a fake dispatcher, a manual timer and a fake server. Its members are
// declared and destroyed in the order of the daemon's, without a shutdown, as after kill -9.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <optional>

#include "bus/bell.h"
#include "follow/followers.h"
#include "requests/daemon_environment.h"
#include "store/sqlite/sqlite_store.h"
#include "testing/manual_timer.h"
#include "triggers/events/event_follower.h"
#include "triggers/files/file_triggers.h"
#include "triggers/firing/pending_firings.h"
#include "triggers/hooks/hook_triggers.h"
#include "triggers/month/fake_dispatcher.h"
#include "triggers/time/timetable.h"
#include "triggers/triggers.h"

namespace drover::triggers::month {

struct SimulatedDaemonParts {
  const Clock& clock;
  const Home& home;
  Processes& processes;
  Fetch fetch;
};

class SimulatedDaemon {
 public:
  explicit SimulatedDaemon(const SimulatedDaemonParts& parts);
  ~SimulatedDaemon();

  // Runs the loop until nothing more happens at this time.
  void settle();
  // With a sound disk: until every follower has read the log, no event is pending and no trigger is
  // due. Throws if that does not happen.
  void catch_up();

  // Runs the coroutine to its end, unless the disk is broken: then it may stay unfinished, and
  // there is no result.
  template <class T>
  std::optional<T> run(asio::awaitable<T> work) {
    const auto out = std::make_shared<std::optional<T>>();
    asio::co_spawn(loop, std::move(work), [out](std::exception_ptr bug, T result) {
      if (bug) std::rethrow_exception(bug);
      out->emplace(std::move(result));
    });
    settle();
    return std::move(*out);
  }

  spine::Recorder recorder();
  bool is_caught_up();
  void see(const StoredTrigger* now, const std::string& name);

  asio::io_context loop{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard{loop.get_executor()};
  const Clock& clock;
  int writes = 0;  // In flight.
  std::unique_ptr<store::SqliteStore> store;
  std::optional<store::ReadPool> reads;
  std::optional<work::Pool> workers;
  std::optional<bus::Bell> bell;
  std::optional<spine::Spine> spine;
  std::optional<FakeDispatcher> dispatcher;
  std::optional<follow::Followers> followers;
  requests::DaemonEnvironment environment;
  EventIndex events;
  DecidedEvents decided;
  std::optional<Poller> poller;
  std::optional<FileTriggers> files;
  std::optional<Firing> firing;
  testing::ManualTimer* timer = nullptr;
  std::optional<Timetable> timetable;
  std::optional<PendingFirings> pending;
  std::optional<HookTriggers> hooks;
  std::optional<Triggers> triggers;
};

}  // namespace drover::triggers::month
