#include "triggers/events/dedup.h"

#include <fmt/format.h>

#include "triggers/events/limits.h"

namespace drover::triggers {

std::variant<DedupWindow, Duplicate> decide_dedup(const std::optional<DedupWindow>& stored,
                                                  std::string_view event_id, WallMs now,
                                                  std::int64_t window_ms) {
  if (stored && stored->event_id == event_id) return *stored;
  if (stored && !is_over(*stored, now, window_ms)) return Duplicate{stored->event_id};
  return DedupWindow{now, std::string(event_id)};
}

bool is_over(const DedupWindow& window, WallMs now, std::int64_t window_ms) {
  // A start in the future: the clock was set back.
  const std::int64_t apart = now >= window.start ? now - window.start : window.start - now;
  return apart >= window_ms;
}

Result<> check_dedup_window(std::int64_t window_ms, std::string_view param) {
  if (window_ms == 0 || (window_ms >= kDedupWindowMinMs && window_ms <= kDedupWindowMaxMs)) {
    return {};
  }
  return fail_invalid(std::string(param), fmt::format("a dedup window must be 0 (off) or {} to {}",
                                                      format_duration(kDedupWindowMinMs),
                                                      format_duration(kDedupWindowMaxMs)));
}

}  // namespace drover::triggers
