#include "triggers/events/post_quota.h"

#include <fmt/format.h>

#include "access/quota.h"
#include "triggers/events/limits.h"

namespace drover::triggers {

Result<> PostQuota::take(const std::string& share, size_t bytes, WallMs now) {
  if (share.empty()) return {};
  constexpr WallMs kMinute = 60'000;
  if (now / kMinute != minute_) {
    minute_ = now / kMinute;
    used_.clear();
  }
  Used& used = used_[share];
  if (used.events >= kPostedPerMinuteMax || used.bytes + bytes > kPostedBytesPerMinuteMax) {
    return access::quota_exceeded(
        "events", fmt::format("this token may post {} events and {} MiB in a minute; post the rest "
                              "in the next one",
                              kPostedPerMinuteMax, kPostedBytesPerMinuteMax >> 20));
  }
  ++used.events;
  used.bytes += bytes;
  return {};
}

}  // namespace drover::triggers
