// DaemonArguments is the parsed command line of droverd. This file has the text of `--help`, too.
// Both follow the list in config/daemon_options.h and the options of the rooms. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cmd/room.h"

namespace drover {

struct DaemonArguments {
  int ready_fd = -1;
  bool help = false;
  bool verify = false;
  bool survivors = false;
  bool json = false;
  bool insecure_listen = false;
  const RoomOption* room_option = nullptr;  // An option of a room: run it instead of the daemon.
  std::string room_option_value;
  std::optional<std::string> listen;
  std::optional<std::string> tls_cert;
  std::optional<std::string> tls_key;
  std::optional<std::int64_t> retain_count;
  std::optional<std::int64_t> retain_age_ms;
  std::optional<std::int64_t> retain_every_ms;
  std::optional<std::int64_t> retain_events_ms;
  std::optional<std::int64_t> retain_keys_ms;
  std::optional<std::int64_t> retain_evidence_ms;
};

Result<DaemonArguments> read_daemon_arguments(int argc, char** argv, RoomList rooms);

std::string daemon_help(RoomList rooms);

}  // namespace drover
