// The keeper's end of control (control.h): a listening socket and a few connections, polled by the
// keeper loop.
#pragma once

#include <poll.h>

#include <array>
#include <string_view>

#include "base/fd.h"
#include "process/control.h"

namespace drover::process {

class ControlServer {
 public:
  static constexpr size_t kConnectionsMax = 4;  // The daemon, its successor, and two to spare.

  // Binds in `controls`, which becomes the keeper's current directory so that the name can be
  // relative. A keeper that cannot listen still works.
  void open(const char* controls, std::string_view directory);
  bool is_open() const { return static_cast<bool>(listener_); }
  void close();

  // Adds its descriptors to `polls`; returns how many.
  size_t add_to(pollfd* polls) const;

  // Whether the exact reader of the output is connected (ControlOp::read_to).
  bool has_reader() const;

  // Handles the events that poll found. Calls `obey(message, payload) -> errno` for each message.
  template <class Obey>
  void serve(Obey obey) {
    accept_one();
    for (Connection& connection : connections_) {
      std::string_view payload;
      ControlMessage message;
      while (connection.fd && receive(connection.fd, message, payload)) {
        if (message.op == ControlOp::read_to) connection.is_reader = message.argument >= 0;
        answer(connection.fd, obey(message, payload));
      }
    }
  }

 private:
  struct Connection {
    Fd fd;
    bool is_reader = false;
  };
  void accept_one();
  bool receive(Fd& connection, ControlMessage& message, std::string_view& payload);
  void answer(Fd& connection, int error_number);

  Fd listener_;
  std::array<Connection, kConnectionsMax> connections_;
  std::array<char, 32> name_{};
};

}  // namespace drover::process
