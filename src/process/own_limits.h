// OwnLimits are the resource limits of this process when it was created. A command can change those
// of its keeper, which belongs to the same user (prlimit). The next command of that keeper would
// inherit them, or could not be started.
#pragma once

#include <sys/resource.h>

namespace drover::process {

class OwnLimits {
 public:
  OwnLimits() { read(limits_); }

  bool are_unchanged() const {
    Limits now{};
    read(now);
    for (int i = 0; i < RLIM_NLIMITS; ++i) {
      if (now[i].rlim_cur != limits_[i].rlim_cur || now[i].rlim_max != limits_[i].rlim_max) {
        return false;
      }
    }
    return true;
  }

 private:
  using Limits = rlimit[RLIM_NLIMITS];
  static void read(Limits& limits) {
    for (int i = 0; i < RLIM_NLIMITS; ++i) {
      ::getrlimit(static_cast<__rlimit_resource>(i), &limits[i]);
    }
  }

  Limits limits_{};
};

}  // namespace drover::process
