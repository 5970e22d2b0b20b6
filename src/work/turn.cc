#include "work/turn.h"

#include <ctime>
#include <string>

namespace drover::work {
namespace {

std::chrono::nanoseconds cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Turn::Turn(std::stop_token stop, std::chrono::nanoseconds cpu_max)
    : stop_(std::move(stop)), cpu_max_(cpu_max), begun_(cpu_time()) {}

std::chrono::nanoseconds Turn::used() const {
  return cpu_time() - begun_;
}

Result<> Turn::check() const {
  if (stop_.stop_requested()) {
    return fail(ErrorCode::unavailable, "canceled", "the client is gone, or the daemon stops");
  }
  if (used() > cpu_max_) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(cpu_max_).count();
    return fail(ErrorCode::exhausted, "work_too_long",
                "the answer takes more than " + std::to_string(seconds) +
                    " s of processor time; ask for less");
  }
  return {};
}

}  // namespace drover::work
