#include "base/short_turns.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace drover {
namespace {

constexpr std::uint64_t kTurnNs = 100'000;  // The shortest slice that Linux allows.

// As in sched_setattr(2); some C libraries do not declare it.
struct Attributes {
  std::uint32_t size = sizeof(Attributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 1;  // SCHED_FLAG_RESET_ON_FORK: children have the usual slices.
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = kTurnNs;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(Attributes) == 48);

}  // namespace

void take_short_turns() {
  if (::sched_getscheduler(0) != SCHED_OTHER) return;
  errno = 0;
  Attributes attributes{.nice = ::getpriority(PRIO_PROCESS, 0)};
  // RESET_ON_FORK would also reset a negative nice value of children.
  if (errno != 0 || attributes.nice < 0) return;
  ::syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

}  // namespace drover
