// Short scheduler slices for Drover's own threads. They do little between two waits, but while one
// waits for the processor behind the commands it looks after, a slot stays empty. Linux (6.12 and
// later) schedules threads with short slices sooner; over time all threads still get their share.
#pragma once

namespace drover {

// Applies to the calling thread; processes it starts later have the usual slices again. Changes
// nothing if the kernel does not support it, or if this process was given another scheduling
// policy.
void take_short_turns();

}  // namespace drover
