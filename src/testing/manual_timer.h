// A ManualTimer is a WallTimer whose time the test decides: it rings when the test calls `ring`.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "work/wall_timer.h"

namespace drover::testing {

class ManualTimer final : public work::WallTimer {
 public:
  void wake_at(WallMs time, std::function<void()> ring) override {
    at_ = time;
    ring_ = std::move(ring);
  }
  void cancel() override {
    at_.reset();
    ring_ = nullptr;
  }

  std::optional<WallMs> at() const { return at_; }  // Not set: it is not armed.
  void ring() {
    if (const auto ring = std::exchange(ring_, nullptr)) ring();
  }

 private:
  std::optional<WallMs> at_;
  std::function<void()> ring_;
};

}  // namespace drover::testing
