// The command line of droverd: its options, parsed, and the text of `--help`. Both follow the list
// in config/daemon_options.h and the words of the rooms. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cmd/room.h"

namespace drover {

struct DaemonWords {
  int ready_fd = -1;
  bool help = false;
  bool verify = false;
  bool survivors = false;
  bool json = false;
  bool insecure_listen = false;
  const ProgramWord* of_room = nullptr;  // A room's word: run it instead of the daemon.
  std::string of_room_value;
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

Result<DaemonWords> read_daemon_words(int argc, char** argv, RoomList rooms);

std::string daemon_help(RoomList rooms);

}  // namespace drover
