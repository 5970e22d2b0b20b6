// A packet pair is two connected sockets that keep packets apart. The programs of Drover use it
// among each other instead of a pipe: a command of the same user can open a pipe of its keeper
// through /proc, to write into it or to take out of it; it cannot open a socket. Bytes that are no
// message cannot shift the messages after them.
#pragma once

#include <sys/socket.h>

#include "base/fd.h"

namespace drover::process {

struct PacketPair {
  Fd ours, theirs;

  // False, with errno set: there are no descriptors left.
  bool open() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
    ours = Fd(ends[0]);
    theirs = Fd(ends[1]);
    return true;
  }
};

}  // namespace drover::process
