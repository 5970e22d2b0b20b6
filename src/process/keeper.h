// A keeper is a process that keeps commands, one after another: each in a KeeperLoop of its own, of
// which nothing is left when the next begins.
#pragma once

#include "process/keeper_loop.h"
#include "process/spares.h"

namespace drover::process {

// The life of a keeper that was forked for `request`; returns its exit status. Once its command is
// gone it waits in its seat for another, unless it has done more than a short command asks for.
int keep(const KeeperPlace& place, Request request, Seat seat);

}  // namespace drover::process
