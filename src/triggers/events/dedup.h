// Dedup drops events that a producer sends again: events of the same producer with the same dedup
// key within one window. The window is fixed: it starts with the first event of the key, and later
// events do not extend it. A sender that repeats a key for ever starts one run per window; with a
// window that slides it would start one run in all. An event without a key is never a duplicate.
//
// Deciding is pure. The caller stores one DedupWindow per (producer, key), in the transaction that
// accepts the event (dedup_window.h), and may delete it once `is_over`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/result.h"

namespace drover::triggers {

// The window of one source and key.
struct DedupWindow {
  WallMs start = 0;
  std::string event_id;  // The event that started it.
  bool operator==(const DedupWindow&) const = default;
};

struct Duplicate {
  std::string of;  // The id of the event that started the window.
  bool operator==(const Duplicate&) const = default;
};

// A new window, to be stored in the place of the old one; or a duplicate, and the stored window
// stays. The event that started the stored window is not its own duplicate: its window is returned
// unchanged, so that deciding about one event twice gives the same answer.
//
// `window_ms` is the trigger's; 0 turns dedup off. If the clock is set back by less than a window,
// that window lasts longer, by less than its own length; if by more, the next event starts a
// window.
std::variant<DedupWindow, Duplicate> decide_dedup(const std::optional<DedupWindow>& stored,
                                                  std::string_view event_id, WallMs now,
                                                  std::int64_t window_ms);

// Whether no event at `now` can be a duplicate within this window.
bool is_over(const DedupWindow& window, WallMs now, std::int64_t window_ms);

// 0, or kDedupWindowMinMs to kDedupWindowMaxMs.
Result<> check_dedup_window(std::int64_t window_ms, std::string_view param);

}  // namespace drover::triggers
