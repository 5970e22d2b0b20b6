// A Room is a feature of the daemon: everything that the feature adds, in one constant. droverd.cc
// lists the rooms of its program. An empty field means that the room has no such part.
// docs/adding/room.md explains each field.
//
// A room may also have a service: an object on the daemon's loop that lives from before the
// recovery until after the last answer. The daemon's parts that it borrows outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/keeps_running.h"
#include "api/rooms.h"
#include "api/route.h"
#include "base/clock.h"
#include "base/home.h"
#include "bus/bell.h"
#include "conduct/script.h"
#include "dispatch/dispatcher.h"
#include "doctor/sql_check.h"
#include "follow/follower.h"
#include "requests/daemon_environment.h"
#include "run/kind.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "store/store.h"
#include "work/pool.h"

namespace drover {

// The daemon's parts that a room may use.
struct DaemonParts {
  boost::asio::any_io_executor loop;
  const Home& home;
  const std::string& programs;  // The directory that holds droverd.
  const Clock& clock;
  // Reads on the loop, for what a service needs before clients are answered: nobody waits then.
  store::Reads& at_startup;
  store::ReadPool& reads;
  work::Pool& workers;
  bus::Bell& bell;
  dispatch::Dispatcher& dispatcher;
  requests::DaemonEnvironment& environment;  // For runs of the room.
  spine::Recorder record;
};

class RoomService {
 public:
  virtual ~RoomService() = default;
  // Followers that use the service, in addition to those of the Room.
  virtual std::vector<follow::Follower> followers() { return {}; }
  // Called once, after the recovery and before clients are answered.
  virtual void begin() {}
};

// A command line option of droverd that does something other than run the daemon: `droverd
// --manifest ROOT`.
struct RoomOption {
  std::string_view name;
  std::string_view value;  // The placeholder for its value: "ROOT".
  std::string_view help;
  Result<int> (*run)(const std::string& value, bool json);  // The exit code.
};

struct Room {
  std::string_view name;
  std::span<const run::Kind> kinds = {};
  const store::RoomSchema* tables = nullptr;
  const doctor::SqlCheckSet* checks = nullptr;  // For `doctor --verify`.
  api::RouteGroup (*routes)() = nullptr;
  // The scripts that run its composites, including those that the previous daemon left.
  std::vector<conduct::Script> (*scripts)(const DaemonParts& parts) = nullptr;
  std::vector<follow::Follower> (*followers)(const DaemonParts& parts) = nullptr;
  // Adds the objects of its handlers to `objects`.
  std::unique_ptr<RoomService> (*service)(const DaemonParts& parts, api::Rooms& objects) = nullptr;
  std::span<const RoomOption> options = {};
  api::KeepsRunning keeps = nullptr;  // For `drover status`.
};

using RoomList = std::span<const Room* const>;

}  // namespace drover
