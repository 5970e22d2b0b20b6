#include "follow/follower.h"

#include <algorithm>

namespace drover::follow {

bool Follower::wants(const run::Event& event) const {
  return types.empty() || std::ranges::find(types, event.type) != types.end();
}

}  // namespace drover::follow
