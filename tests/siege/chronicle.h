// The Chronicle knows when which attack struck. Any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "tests/siege/latency.h"

namespace drover::siege {

class Chronicle {
 public:
  void note(std::string_view name, WallMs begun);

  size_t count() const { return strikes_.size(); }
  // How often each attack struck, and its longest time; a line each.
  std::string summary() const;
  // The attacks during each of the slowest runs; a line each.
  std::string blame(const Latencies& runs) const;
  // All attacks in their order, a line each.
  std::string text() const;

 private:
  struct Strike {
    std::string_view name;
    WallMs begun, ended;
  };
  std::mutex noting_;
  std::vector<Strike> strikes_;
};

}  // namespace drover::siege
