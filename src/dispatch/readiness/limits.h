// The waiting times of readiness, each with its reason.
#pragma once

#include <chrono>

namespace drover::dispatch {

// How old the start of the latest run that started and finished may be. Monitors ask every 10 s: a
// daemon with work to do never starts a probe for them, an idle one twice a minute at most.
inline constexpr std::chrono::seconds kReadyAgeMax{30};
// How long a caller waits for a probe, which takes milliseconds. Monitors give up after 5 s or
// more.
inline constexpr std::chrono::seconds kProbeWait{3};
// Then a probe is given up and its keeper is killed: a later one may succeed. Longer than it takes
// to replace a cradle that is stopped.
inline constexpr std::chrono::seconds kProbeMax{30};
// After a probe that failed, callers get its error until another may start: anybody may ask.
inline constexpr std::chrono::seconds kProbeEvery{1};

}  // namespace drover::dispatch
