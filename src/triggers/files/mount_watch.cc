#include "triggers/files/mount_watch.h"

#include <fcntl.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "triggers/files/limits.h"

namespace drover::triggers {

struct MountWatch::Waits : std::enable_shared_from_this<Waits> {
  Waits(const asio::any_io_executor& loop, std::function<void()> call)
      : mounts(loop), timer(loop), on_change(std::move(call)) {}

  void wait() {
    mounts.async_wait(asio::posix::stream_descriptor::wait_error,
                      [self = weak_from_this()](auto error) {
                        if (const auto waits = self.lock(); waits && !error) waits->wait_for_more();
                      });
  }
  void wait_for_more() {
    timer.expires_after(std::chrono::milliseconds(kMountsMs));
    timer.async_wait([self = weak_from_this()](auto error) {
      const auto waits = self.lock();
      if (!waits || error) return;
      waits->wait();
      waits->on_change();
    });
  }

  asio::posix::stream_descriptor mounts;
  asio::steady_timer timer;
  std::function<void()> on_change;
};

MountWatch::MountWatch(const asio::any_io_executor& loop, std::function<void()> on_change)
    : waits_(std::make_shared<Waits>(loop, std::move(on_change))) {
  const int file = ::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  waits_->mounts.assign(file);
  waits_->wait();
}

MountWatch::~MountWatch() = default;

}  // namespace drover::triggers
