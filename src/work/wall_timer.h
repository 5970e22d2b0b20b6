// A WallTimer wakes its owner at a time of the wall clock. It uses the kernel's timer on
// CLOCK_REALTIME, so it also rings if the clock was set, and at once when the machine wakes from a
// sleep during which its time passed. A timer that counts seconds would do neither.
//
// Lives on the daemon's loop. Tests use a timer of their own with a clock that is set by hand.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/result.h"

namespace drover::work {

class WallTimer {
 public:
  virtual ~WallTimer() = default;
  // Calls `ring` on the loop at `time`, or earlier if the clock was set: the owner looks at the
  // clock. Replaces an earlier call.
  virtual void wake_at(WallMs time, std::function<void()> ring) = 0;
  virtual void cancel() = 0;
};

class SystemWallTimer final : public WallTimer {
 public:
  static Result<std::unique_ptr<SystemWallTimer>> open(boost::asio::any_io_executor loop);

  void wake_at(WallMs time, std::function<void()> ring) override;
  void cancel() override;

 private:
  SystemWallTimer(boost::asio::any_io_executor loop, int descriptor)
      : descriptor_(std::move(loop), descriptor) {}

  boost::asio::posix::stream_descriptor descriptor_;
  std::shared_ptr<int> turn_ = std::make_shared<int>(0);  // Which call is the latest.
};

}  // namespace drover::work
