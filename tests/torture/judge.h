// The judge compares what Drover reports about a herd's runs with what their commands left behind,
// from outside: through the API, the files, /proc, and `droverd --verify`. Whatever was killed:
//
//   every acknowledged id resolves, and every key gives one run
//   a run has finished exactly once, and no later daemon says otherwise
//   a recorded exit code is the command's; none that a keeper saw is lost
//   no command started twice, or after Drover said that it never would
//   no lane exceeded its limit
//   no process, directory, socket or stored environment is left over
#pragma once

#include "tests/torture/herd.h"

namespace drover::tests {

// Waits until all runs have finished, stops the daemon, and checks. The trial must be disarmed.
void judge(Herd& herd);

}  // namespace drover::tests
