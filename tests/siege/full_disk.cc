// The disk is full for a moment, until it has refused something.
#include <poll.h>

#include <array>

#include "tests/siege/attack.h"

namespace drover::siege {
namespace {

constexpr int kFullMsMax = 1'000;

void fill(Target& target, tests::SeededRandom& random) {
  using tests::Trouble;
  target.disk.fail(random.below(2) == 0 ? Trouble::full : Trouble::crammed, 1 + random.below(4));
  pollfd refused{.fd = target.disk.refusal_fd(), .events = POLLIN, .revents = 0};
  ::poll(&refused, 1, kFullMsMax);
  pause_ms(random.below(200));
  target.disk.repair();
  // The outage is over once the daemon stores again.
  (void)target.ended(target.submit({"/bin/true"}));
}

constexpr auto kAll = std::to_array<Attack>({{"full disk", fill, true}});

}  // namespace

std::span<const Attack> full_disk() {
  return kAll;
}

}  // namespace drover::siege
