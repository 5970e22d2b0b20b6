// Recovery decides what becomes of a run that a daemon before this one left active (H10). It is
// pure: record and journal in, remedy out. Doing it twice changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/journal.h"
#include "run/record.h"

namespace drover::dispatch {

enum class Remedy : std::uint8_t {
  wait,         // Still queued: it waits on.
  launch,       // Nobody has begun it: begin it. The claim decides, should a keeper come late.
  adopt,        // Its keeper lives: listen to it again.
  conclude,     // Its keeper is gone: what the journal says goes on record.
  never_start,  // Nobody has begun it and nobody shall: forbid it, then record that.
};

inline constexpr auto kRemedies = std::to_array<Remedy>(
    {Remedy::wait, Remedy::launch, Remedy::adopt, Remedy::conclude, Remedy::never_start});
std::string_view name(Remedy remedy);

// How many runs each remedy was applied to, for metrics.
class RecoveryCounts {
 public:
  void count(Remedy remedy) { ++by_remedy_[static_cast<size_t>(remedy)]; }
  size_t of(Remedy remedy) const { return by_remedy_[static_cast<size_t>(remedy)]; }

 private:
  std::array<size_t, kRemedies.size()> by_remedy_{};
};

Remedy remedy_for(const run::Record& record, const Probe& probe);

}  // namespace drover::dispatch
