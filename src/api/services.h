// The backing is what stands behind the doors: the parts of the daemon that handlers ask. Handlers
// translate and answer; none of them decides anything about a run.
//
// Everything it refers to must outlive the server and lives on the daemon's loop.
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
#include "dispatch/recovery.h"
#include "follow/followers.h"
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
  Rooms rooms = {};  // What the rooms' handlers use.
  Home home;
  queries::OutputWatch& output_watch;
  std::vector<RouteGroup> routes;          // What is answered (ground_routes.h).
  spine::Recorder record = {};             // For what is no run.
  follow::Followers* followers = nullptr;  // Null: there are none.
  EventFrames frames = {};
  // The daemon's own. Runs inherit it, but for what the server withholds (environment.h).
  std::vector<std::string> environment = {};
  std::string programs = {};  // Drover's own directory of programs; appended to a run's PATH.
  std::string user_directory = "/";  // Where a run begins that names no directory.
  WallMs started_at = 0;
  std::string store_kind = "sqlite";
  Controllers controllers = {};              // What cgroups hold of runs' limits here,
  std::string no_cgroups = {};               // and why they hold nothing, if so.
  std::function<void(bool kill)> stop = {};  // Called after the answer is on the wire.
  std::function<bool()> stopping = {};       // Whether it was told to. Not set: never.
  uid_t owner = ::geteuid();                 // The only user who is answered on the unix socket.
  const spine::Tally* tally = nullptr;       // What was recorded, in numbers; null: nobody counts.
  const dispatch::RecoveryCounts* recovered = nullptr;  // Of the last daemon's runs; the same.
  Traffic traffic = {};
  size_t connections_max = limits::kConnectionsMax;

  // The server's. Opens the TCP door on loopback unless there is one; where it is.
  std::function<Result<std::string>()> open_tcp = {};
  std::string tcp_url = {};      // Empty: there is none.
  std::string tcp_trouble = {};  // Why there is none, if there should be.
  std::string description = {};  // /openapi.json, once it was asked for.
};

}  // namespace drover::api
