// LoopDelay measures the delays of the daemon's loop: while one handler computes, every client
// waits. Each request posts a probe to the loop, unless one is pending; the time until the loop
// runs the probe is the delay that another client would have had. A delay beyond the bound
// (limits::kLoopTurnMs) is counted; `status` and the metrics report it.
//
// Lives on the loop, and must outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdint>

#include "base/histogram.h"
#include "base/limits.h"

namespace drover::api {

class LoopDelay {
 public:
  using Span = std::chrono::steady_clock::duration;

  void probe(const boost::asio::any_io_executor& loop) {
    if (probing_) return;
    probing_ = true;
    boost::asio::post(loop, [this, sent = std::chrono::steady_clock::now()] {
      probing_ = false;
      note(std::chrono::steady_clock::now() - sent);
    });
  }

  void note(Span delay) {
    delays_.add(std::chrono::duration<double>(delay).count());
    if (delay > longest_) longest_ = delay;
    if (delay > std::chrono::milliseconds(limits::kLoopTurnMs)) ++beyond_bound_;
  }

  const Histogram& delays() const { return delays_; }
  std::uint64_t beyond_bound() const { return beyond_bound_; }
  std::int64_t longest_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(longest_).count();
  }

 private:
  Histogram delays_;
  std::uint64_t beyond_bound_ = 0;
  Span longest_{};
  bool probing_ = false;
};

}  // namespace drover::api
