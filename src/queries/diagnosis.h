// The diagnosis of a running run: its processes, and the calls and files that they are blocked in.
// The run's journal names the processes, /proc says what they do (diagnosis/). Two looks at /proc
// show which processes use CPU. Each look reads hundreds of files: call it on a worker, not on the
// daemon's loop.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/home.h"
#include "diagnosis/judge.h"
#include "run/record.h"

namespace drover::queries {

struct Diagnosis {
  diagnosis::Scene scene;
  std::vector<diagnosis::Finding> findings;
};

// The CPU, memory and disk use of a run now. Empty: it is not running, or its processes are
// unknown.
std::optional<diagnosis::Usage> usage_now(const Home& home, const run::Record& record);

// The first look. Empty: its processes are unknown or have exited.
struct FirstLook {
  diagnosis::Scene scene;
  MonoNs time = 0;
};
std::optional<FirstLook> look_first(const Home& home, const Clock& clock,
                                    const run::Record& record);
// The second look, limits::kLookAgainMs after the first. Empty: the run has finished in between.
std::optional<Diagnosis> look_again(const Home& home, const Clock& clock, const run::Record& record,
                                    const FirstLook& first);

}  // namespace drover::queries
