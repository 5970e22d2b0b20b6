// Services are the parts of the daemon that the API's handlers use. Handlers translate requests and
// answers; they decide nothing about a run.
//
// All references must outlive the server. Lives on the daemon's loop.
#pragma once

#include <unistd.h>

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <string>
#include <vector>

#include "access/gate.h"
#include "api/http/loop_delay.h"
#include "api/http/traffic.h"
#include "api/keeps_running.h"
#include "api/rooms.h"
#include "api/route.h"
#include "api/stream/event_frames.h"
#include "api/stream/stream_quota.h"
#include "base/clock.h"
#include "base/home.h"
#include "base/resource_limits.h"
#include "bus/bell.h"
#include "dispatch/dispatcher.h"
#include "dispatch/files/page_readers.h"
#include "dispatch/recovery/recovery.h"
#include "follow/followers.h"
#include "queries/exact_readers.h"
#include "queries/output_watch.h"
#include "requests/daemon_environment.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "store/store.h"
#include "work/pool.h"

namespace drover::api {

namespace asio = boost::asio;

struct Services {
  asio::any_io_executor loop;
  dispatch::Dispatcher& dispatcher;
  // Const: what it knows without reading. Handlers read with `ask` (api/ask.h), never on the loop.
  const store::Store& store;
  store::ReadPool& reads;
  work::Pool& workers;  // For work whose duration grows with its input.
  bus::Bell& bell;
  const Clock& clock;
  const run::Kinds& kinds;
  access::Gate& gate;
  Rooms rooms = {};                      // The objects of the rooms' handlers.
  std::vector<KeepsRunning> keeps = {};  // Of each room: what the daemon keeps running for.
  Home home;
  queries::OutputWatch& output_watch;
  queries::ExactReaders& exact_readers;
  std::vector<RouteGroup> routes;                 // Every route (core_routes.h).
  spine::Recorder record = {};                    // Records changes that are not about a run.
  follow::Followers* followers = nullptr;         // Null: there are none.
  dispatch::PageReaders* page_readers = nullptr;  // Null: nobody has to know them.
  EventFrames frames = {};
  // The part of the daemon's own environment that runs inherit.
  const requests::DaemonEnvironment* environment = &requests::DaemonEnvironment::none();
  std::string programs = {};  // Drover's own directory of programs; appended to a run's PATH.
  std::string user_directory = "/";  // The working directory of a run that names none.
  WallMs started_at = 0;
  std::string store_kind = "sqlite";
  Controllers controllers = {};              // The cgroup controllers available here.
  std::string no_cgroups = {};               // Why there are none; empty: there are.
  std::function<void(bool kill)> stop = {};  // Called after the answer was written.
  std::function<bool()> stopping = {};       // Whether a stop was requested. Not set: never.
  uid_t owner = ::geteuid();                 // The only user allowed on the unix socket.
  const spine::Tally* tally = nullptr;       // Counts of recorded events; null: not counted.
  const dispatch::RecoveryCounts* recovered = nullptr;  // Of the previous daemon's runs.
  Traffic traffic = {};
  std::shared_ptr<StreamQuota> streams = std::make_shared<StreamQuota>();
  std::uint64_t descriptors_max = 0;  // Of which connections get a part; 0: the process's limit.
  std::int64_t stranger_turn_ms = limits::kStrangerTurnMs;
  std::int64_t body_arrive_ms = limits::kBodyArriveMs;
  LoopDelay loop_delay = {};

  // Set by the server. Listens on loopback TCP unless it does already; returns the URL.
  std::function<Result<std::string>()> open_tcp = {};
  std::string tcp_url = {};      // Empty: it does not listen on TCP.
  std::string tcp_trouble = {};  // Why not, if it should.
  std::string description = {};  // /openapi.json, after the first request for it.
};

}  // namespace drover::api
