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
#include "api/http/traffic.h"
#include "api/rooms.h"
#include "api/route.h"
#include "api/stream/event_frames.h"
#include "base/clock.h"
#include "base/home.h"
#include "base/resource_limits.h"
#include "bus/bell.h"
#include "dispatch/dispatcher.h"
#include "dispatch/recovery/recovery.h"
#include "follow/followers.h"
#include "queries/exact_readers.h"
#include "queries/output_watch.h"
#include "spine/spine.h"
#include "store/store.h"

namespace drover::api {

namespace asio = boost::asio;

struct Services {
  asio::any_io_executor loop;
  dispatch::Dispatcher& dispatcher;
  store::Store& store;
  bus::Bell& bell;
  const Clock& clock;
  const run::Kinds& kinds;
  access::Gate& gate;
  Rooms rooms = {};  // The objects of the rooms' handlers.
  Home home;
  queries::OutputWatch& output_watch;
  queries::ExactReaders& exact_readers;
  std::vector<RouteGroup> routes;          // Every route (core_routes.h).
  spine::Recorder record = {};             // Records changes that are not about a run.
  follow::Followers* followers = nullptr;  // Null: there are none.
  EventFrames frames = {};
  // The daemon's own environment. Runs inherit it, without the withheld variables (environment.h).
  std::vector<std::string> environment = {};
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
  size_t connections_max = limits::kConnectionsMax;

  // Set by the server. Listens on loopback TCP unless it does already; returns the URL.
  std::function<Result<std::string>()> open_tcp = {};
  std::string tcp_url = {};      // Empty: it does not listen on TCP.
  std::string tcp_trouble = {};  // Why not, if it should.
  std::string description = {};  // /openapi.json, after the first request for it.
};

}  // namespace drover::api
