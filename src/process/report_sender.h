// A ReportSender is a keeper's end of the socket to the daemon: it sends reports whole, in order,
// and never blocks the keeper for a daemon that is slow or gone.
#pragma once

#include <poll.h>

#include <array>
#include <cstdint>

#include "process/report.h"

namespace drover::process {

class ReportSender {
 public:
  ReportSender(int socket, std::uint64_t tag) : socket_(socket), tag_(tag) {}

  // A report that does not fit into the socket now waits for `send_pending`.
  void send(ReportKind kind, const void* payload, size_t bytes);
  bool has_pending() const { return count_ > 0; }
  pollfd poll() const { return {.fd = socket_, .events = POLLOUT, .revents = 0}; }
  void send_pending();

  // Waits until all reports are sent, or the daemon has closed the socket. False: the daemon is
  // there but does not read, so the keeper's exit has to tell it.
  bool flush();

 private:
  int socket_;
  std::uint64_t tag_;
  std::array<Report, 2> pending_;  // At most `started` or `grown`, and a final one.
  size_t count_ = 0;
};

}  // namespace drover::process
