// The judge holds what Drover says of a herd's runs against what their commands left behind, from
// outside: by its doors, by the files, by /proc, and by `droverd --verify`. Whatever was killed:
//
//   every id that was promised resolves, and every key leads to one run
//   a run has ended exactly once, and no later daemon says otherwise
//   an exit code on record is the one the command ended with; none that was seen is lost
//   no command began twice, or after it was said that it never would
//   no lane was fuller than its limit
//   no process, no directory, no socket and no environment is left over
#pragma once

#include "tests/torture/herd.h"

namespace drover::tests {

// Waits for all ends, stops the daemon, and judges. The trial must be disarmed.
void judge(Herd& herd);

}  // namespace drover::tests
