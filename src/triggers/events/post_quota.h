// A PostQuota bounds the events that one caller other than the owner posts in a minute: each is a
// commit, and is offered to every trigger. It counts in memory; a restart of the daemon forgets.
//
// Lives on the daemon's loop.
#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace drover::triggers {

class PostQuota {
 public:
  // `share` is the caller (access::share_of); empty: the owner, who has no quota. Refused:
  // `quota_exceeded`, with the param "events". A refused event does not count.
  Result<> take(const std::string& share, size_t bytes, WallMs now);

 private:
  struct Used {
    std::int64_t events = 0;
    size_t bytes = 0;
  };
  std::int64_t minute_ = 0;  // The current one. The use in earlier ones is forgotten.
  std::map<std::string, Used> used_;
};

}  // namespace drover::triggers
