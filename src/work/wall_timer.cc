#include "work/wall_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace drover::work {

namespace asio = boost::asio;

Result<std::unique_ptr<SystemWallTimer>> SystemWallTimer::open(asio::any_io_executor loop) {
  const int descriptor = ::timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (descriptor < 0) return fail_errno("cannot create a timer", errno);
  return std::unique_ptr<SystemWallTimer>(new SystemWallTimer(std::move(loop), descriptor));
}

void SystemWallTimer::wake_at(WallMs time, std::function<void()> ring) {
  cancel();
  const WallMs when = std::max<WallMs>(time, 1);  // 0 would disarm the timer.
  itimerspec spec{};
  spec.it_value.tv_sec = when / 1000;
  spec.it_value.tv_nsec = when % 1000 * 1'000'000;
  ::timerfd_settime(descriptor_.native_handle(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &spec,
                    nullptr);
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [this, ring = std::move(ring), turn = turn_,
                          mine = *turn_](const boost::system::error_code& error) {
                           if (error || *turn != mine) return;
                           // A clock that was set is reported here, as ECANCELED; both mean: look.
                           std::uint64_t times = 0;
                           (void)!::read(descriptor_.native_handle(), &times, sizeof times);
                           ring();
                         });
}

void SystemWallTimer::cancel() {
  ++*turn_;
  descriptor_.cancel();
}

}  // namespace drover::work
