// Short turns at the processor. Drover's own threads do little between two waits, but as long as
// one of them waits for its turn behind the commands it looks after, a slot stands empty. Linux
// (6.12 and later) gives those who ask for short turns theirs sooner, and takes nothing from the
// others: over time, all get their share.
#pragma once

namespace drover {

// For the calling thread; what it starts afterwards has the usual turns again. Where the kernel
// knows nothing of it, or somebody has arranged this process otherwise, nothing changes.
void take_short_turns();

}  // namespace drover
