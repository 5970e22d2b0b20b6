// The daemon connects the parts: store, spine, bell, dispatcher, followers, doors, and the rooms
// that it is given (room.h).
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/http/listen_address.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/home.h"
#include "cmd/room.h"
#include "dispatch/retention.h"

namespace drover {

struct DaemonOptions {
  Home home;
  std::string programs;  // The directory that holds drover and drover-keeper.
  std::uint32_t umask = 022;
  dispatch::RetentionRule retention;
  std::optional<api::ListenAddress> listen = {};  // TCP, checked by whoever asks for it.
  std::string tls_cert = {};                      // For it; both or none.
  std::string tls_key = {};
};

class Daemon {
 public:
  // Takes the home for itself and opens the store. `daemon_running` if another daemon has it;
  // the store's own errors if the database is newer, foreign or damaged.
  static Result<std::unique_ptr<Daemon>> open(DaemonOptions options, RoomList rooms);
  ~Daemon();

  // Recovers, opens the doors, calls `ready`, and returns when it was told to stop: by a signal, or
  // through a door. Runs go on without it unless it was told to end them (R18).
  Result<> run(std::function<void()> ready);

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace drover
