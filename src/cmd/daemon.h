// The daemon connects the parts: store, spine, bell, dispatcher, followers, doors, and the rooms
// that it is given (room.h).
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/home.h"
#include "cmd/room.h"
#include "config/listen_address.h"
#include "dispatch/files/compaction_rounds.h"
#include "dispatch/files/retention.h"

namespace drover {

struct DaemonOptions {
  Home home;
  std::string programs;  // The directory that holds drover and drover-keeper.
  std::uint32_t umask = 022;
  dispatch::RetentionRule retention;
  dispatch::CompactionRule compaction;
  std::optional<config::ListenAddress> listen = {};  // TCP, checked by the caller.
  std::string tls_cert = {};                         // For TCP; both or none.
  std::string tls_key = {};
};

class Daemon {
 public:
  // Locks the home and opens the store. `daemon_running` if another daemon has the home; the
  // store's own errors if the database is newer, foreign or damaged.
  static Result<std::unique_ptr<Daemon>> open(DaemonOptions options, RoomList rooms);
  ~Daemon();

  // Recovers, starts to listen, calls `ready`, and returns when a signal or a request stops it. Its
  // runs continue unless the request said to kill them (R18).
  Result<> run(std::function<void()> ready);

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace drover
