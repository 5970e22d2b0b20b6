// A keeper is a process that runs commands, one after another: each in a KeeperLoop of its own, of
// which nothing remains when the next begins.
#pragma once

#include "process/keeper_loop.h"
#include "process/spares.h"

namespace drover::process {

// The life of a keeper that was forked for `request`; returns its exit status. When its command has
// finished, it waits in its seat for another request, unless the command left it with more than a
// new keeper has.
int keep(const KeeperPlace& place, Request request, Seat seat);

}  // namespace drover::process
