#include "triggers/time/due.h"

#include <algorithm>

namespace drover::triggers {
namespace {

// Slots stay in order: the jitter ends before the following slot.
WallMs due_before(std::optional<WallMs> following, WallMs slot, std::int64_t jitter_ms,
                  std::uint64_t seed) {
  std::int64_t most = std::clamp<std::int64_t>(jitter_ms, 0, kJitterMaxMs);
  if (following) most = std::min(most, *following - slot - 1);
  return slot + jitter_of(seed, slot, most);
}

// One slot that has passed or comes next, with its place among its neighbors.
struct Slot {
  WallMs at = 0;
  WallMs due_at = 0;
  std::optional<WallMs> following;
};

class Decider {
 public:
  Decider(const Schedule& schedule, const DueInput& input) : schedule_(schedule), in_(input) {}

  DueDecision decide() {
    const auto first = next_after(schedule_, std::max<WallMs>(in_.next, 0) - 1);
    if (!first) return {};
    std::optional<WallMs> at = summarize(*first);
    while (at) {
      const Slot slot = slot_at(*at);
      if (slot.due_at > in_.now) {
        out_.wake_at = slot.due_at;
        break;
      }
      out_.slots.push_back({.slot = slot.at, .due_at = slot.due_at});
      at = slot.following;
    }
    out_.next = at;
    judge();
    return std::move(out_);
  }

 private:
  Slot slot_at(WallMs at) const {
    const auto following = next_after(schedule_, at);
    return {.at = at,
            .due_at = due_before(following, at, in_.jitter_ms, in_.seed),
            .following = following};
  }

  // Puts the slots before the latest 1,000 into ranges; returns the first slot to list.
  WallMs summarize(WallMs first) {
    const auto listed = nth_latest(schedule_, first, in_.now, kSlotsListedMax);
    if (!listed || *listed <= first) return first;
    const WallMs end = *listed - 1;
    const WallMs begin = std::clamp(in_.backoff_until, first, *listed);
    add_range(first, begin - 1, SlotOutcome::skip, "backoff");
    switch (in_.missed) {
      case MissedPolicy::once:
        add_range(begin, end, SlotOutcome::coalesce, "covered_by_later");
        break;
      case MissedPolicy::skip:
        add_range(begin, end, SlotOutcome::miss, "policy_skip");
        break;
      case MissedPolicy::all: {
        const WallMs window = std::clamp(in_.now - window_ms(), begin, *listed);
        add_range(begin, window - 1, SlotOutcome::miss, "outside_window");
        add_range(window, end, SlotOutcome::miss, "too_many");
        break;
      }
    }
    return *listed;
  }

  void add_range(WallMs from, WallMs to, SlotOutcome outcome, std::string_view reason) {
    const auto first = next_after(schedule_, from - 1);
    if (!first || *first > to) return;
    out_.older.push_back({.first = *first,
                          .last = nth_latest(schedule_, *first, to, 1).value_or(*first),
                          .count = count_slots(schedule_, *first, to),
                          .outcome = outcome,
                          .reason = reason});
  }

  std::int64_t window_ms() const {
    return std::clamp<std::int64_t>(in_.window_ms, 0, kMissedWindowMaxMs);
  }
  bool is_late(const SlotDecision& slot) const { return in_.now - slot.due_at > kLateMs; }

  void judge() {
    // Slots are in order, so the late ones come first: the latest late one is before the others.
    const auto on_time = std::ranges::find_if_not(
        out_.slots, [&](const SlotDecision& slot) { return is_late(slot); });
    for (auto slot = out_.slots.begin(); slot != out_.slots.end(); ++slot) {
      if (slot->slot < in_.backoff_until) {
        set(*slot, SlotOutcome::skip, "backoff");
      } else if (slot >= on_time) {
        set(*slot, SlotOutcome::fire, "on_time");
      } else if (in_.missed == MissedPolicy::skip) {
        set(*slot, SlotOutcome::miss, "policy_skip");
      } else if (in_.missed == MissedPolicy::once && slot + 1 != on_time) {
        set(*slot, SlotOutcome::coalesce, "covered_by_later");
      } else if (in_.missed == MissedPolicy::all && in_.now - slot->slot > window_ms()) {
        set(*slot, SlotOutcome::miss, "outside_window");
      } else {
        set(*slot, SlotOutcome::fire, "caught_up");
      }
    }
  }

  static void set(SlotDecision& slot, SlotOutcome outcome, std::string_view reason) {
    slot.outcome = outcome;
    slot.reason = reason;
  }

  const Schedule& schedule_;
  const DueInput& in_;
  DueDecision out_;
};

}  // namespace

std::int64_t jitter_of(std::uint64_t seed, WallMs slot, std::int64_t most_ms) {
  if (most_ms <= 0) return 0;
  // Multiplying and folding spreads neighboring slots over all 64 bits before the remainder is
  // taken.
  std::uint64_t mixed = seed ^ (static_cast<std::uint64_t>(slot) * 0x9E3779B97F4A7C15ULL);
  for (int i = 0; i < 2; ++i) {
    mixed ^= mixed >> 32;
    mixed *= 0xD6E8FEB86659FD93ULL;
  }
  mixed ^= mixed >> 32;
  return static_cast<std::int64_t>(mixed % (static_cast<std::uint64_t>(most_ms) + 1));
}

WallMs due_time(const Schedule& schedule, WallMs slot, std::int64_t jitter_ms, std::uint64_t seed) {
  return due_before(next_after(schedule, slot), slot, jitter_ms, seed);
}

DueDecision decide_due(const Schedule& schedule, const DueInput& input) {
  return Decider(schedule, input).decide();
}

}  // namespace drover::triggers
