// Control is how a keeper receives requests while its command runs: messages on a unix socket of
// type SEQPACKET. The keeper listens once the command has run for kControlAfterMs. Every message is
// answered; all but `input` may safely be repeated. docs/keeper-files.md describes the layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/journal.h"
#include "base/limits.h"
#include "base/result.h"

namespace drover::process {

enum class ControlOp : std::uint16_t {
  // `argument`: the number, sent to the command's group.
  signal = 1,
  // `argument`: the grace in ms; TERM now, KILL after it. Cause: cancel.
  stop = 2,
  // The payload goes to the command's standard input. `argument`: the size of the terminal it was
  // typed at, packed; a pty takes on that size. 0: none.
  input = 3,
  // Closes standard input once all input was written; for a pty: sends the terminal's end-of-file
  // character.
  input_end = 4,
  // `argument`: the pty's new size, packed.
  resize = 5,
  // `argument`: the exact reader has read all output before this offset. The reader counts as
  // connected as long as this connection is open. -1: the reader has left.
  read_to = 6,
};

inline constexpr std::uint16_t kControlVersion = 1;
inline constexpr size_t kControlPayloadMax = 32 * 1024;

struct ControlMessage {
  std::uint16_t version = kControlVersion;
  ControlOp op = ControlOp::signal;
  std::uint32_t payload_bytes = 0;
  std::int64_t argument = 0;
  // The payload follows.
};

struct ControlAnswer {
  std::uint16_t version = kControlVersion;
  std::uint16_t reserved = 0;
  std::int32_t error_number = 0;  // 0: done. EPIPE: no standard input. ESRCH: has exited.
};  // EAGAIN: its standard input is full; try again. ENOTTY: it has no pty.

// A terminal's size as an argument; never 0 for a valid size.
constexpr std::int64_t pack(const TerminalSize& size) {
  return std::int64_t{size.rows} << 16 | size.columns;
}
constexpr TerminalSize unpack_size(std::int64_t argument) {
  return {.rows = static_cast<std::uint16_t>(argument >> 16),
          .columns = static_cast<std::uint16_t>(argument)};
}

// The name of a keeper's socket in the controls directory, derived from the name of its run.
std::string_view control_name(std::string_view directory);

// Connects to a keeper's socket; the path of the controls directory may be longer than a socket's
// may be. Empty without an error: the keeper does not listen (yet).
Result<Fd> connect_control(const std::string& controls, std::string_view directory);

}  // namespace drover::process
