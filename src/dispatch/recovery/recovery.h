// Recovery decides what to do with a run that an earlier daemon left active (H10). Pure: record and
// journal in, remedy out. Applying a remedy twice changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/journal.h"
#include "run/record.h"

namespace drover::dispatch {

enum class Remedy : std::uint8_t {
  wait,         // Still queued: it keeps waiting.
  launch,       // No keeper has started it: launch it. If one starts late, the claim decides.
  adopt,        // Its keeper is alive: listen to it again.
  conclude,     // Its keeper is dead: record what the journal says.
  never_start,  // No keeper has started it and none may: forbid it, then record that.
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

Remedy remedy_for(const run::Record& record, const JournalState& journal);

}  // namespace drover::dispatch
