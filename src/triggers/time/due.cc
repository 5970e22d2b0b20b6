#include "triggers/time/due.h"

#include <algorithm>

namespace drover::triggers {
namespace {

// Due times stay in order: the jitter ends before the following due time.
WallMs due_before(std::optional<WallMs> following, WallMs due_time, std::int64_t jitter_ms,
                  std::uint64_t seed) {
  std::int64_t most = std::clamp<std::int64_t>(jitter_ms, 0, kJitterMaxMs);
  if (following) most = std::min(most, *following - due_time - 1);
  return due_time + jitter_of(seed, due_time, most);
}

// One due time that has passed or comes next, with its place among its neighbors.
struct Candidate {
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
      const Candidate due_time = candidate_at(*at);
      if (due_time.due_at > in_.now) {
        out_.wake_at = due_time.due_at;
        break;
      }
      out_.due_times.push_back({.due_time = due_time.at, .due_at = due_time.due_at});
      at = due_time.following;
    }
    out_.next = at;
    judge();
    return std::move(out_);
  }

 private:
  Candidate candidate_at(WallMs at) const {
    const auto following = next_after(schedule_, at);
    return {.at = at,
            .due_at = due_before(following, at, in_.jitter_ms, in_.seed),
            .following = following};
  }

  // Puts the due times before the latest 1,000 into ranges; returns the first due time to list.
  WallMs summarize(WallMs first) {
    const auto listed = nth_latest(schedule_, first, in_.now, kDueTimesListedMax);
    if (!listed || *listed <= first) return first;
    const WallMs end = *listed - 1;
    const WallMs begin = std::clamp(in_.backoff_until, first, *listed);
    add_range(first, begin - 1, DueOutcome::skip, "backoff");
    switch (in_.missed) {
      case MissedPolicy::once:
        add_range(begin, end, DueOutcome::coalesce, "covered_by_later");
        break;
      case MissedPolicy::skip:
        add_range(begin, end, DueOutcome::miss, "policy_skip");
        break;
      case MissedPolicy::all: {
        const WallMs window = std::clamp(in_.now - window_ms(), begin, *listed);
        add_range(begin, window - 1, DueOutcome::miss, "outside_window");
        add_range(window, end, DueOutcome::miss, "too_many");
        break;
      }
    }
    return *listed;
  }

  void add_range(WallMs from, WallMs to, DueOutcome outcome, std::string_view reason) {
    const auto first = next_after(schedule_, from - 1);
    if (!first || *first > to) return;
    out_.older.push_back({.first = *first,
                          .last = nth_latest(schedule_, *first, to, 1).value_or(*first),
                          .count = count_due_times(schedule_, *first, to),
                          .outcome = outcome,
                          .reason = reason});
  }

  std::int64_t window_ms() const {
    return std::clamp<std::int64_t>(in_.window_ms, 0, kMissedWindowMaxMs);
  }
  bool is_late(const DecidedTime& due_time) const { return in_.now - due_time.due_at > kLateMs; }

  void judge() {
    // Due times are in order, so the late ones come first: the latest late one is before the
    // others.
    const auto on_time = std::ranges::find_if_not(
        out_.due_times, [&](const DecidedTime& due_time) { return is_late(due_time); });
    for (auto due_time = out_.due_times.begin(); due_time != out_.due_times.end(); ++due_time) {
      if (due_time->due_time < in_.backoff_until) {
        set(*due_time, DueOutcome::skip, "backoff");
      } else if (due_time >= on_time) {
        set(*due_time, DueOutcome::fire, "on_time");
      } else if (in_.missed == MissedPolicy::skip) {
        set(*due_time, DueOutcome::miss, "policy_skip");
      } else if (in_.missed == MissedPolicy::once && due_time + 1 != on_time) {
        set(*due_time, DueOutcome::coalesce, "covered_by_later");
      } else if (in_.missed == MissedPolicy::all && in_.now - due_time->due_time > window_ms()) {
        set(*due_time, DueOutcome::miss, "outside_window");
      } else {
        set(*due_time, DueOutcome::fire, "caught_up");
      }
    }
  }

  static void set(DecidedTime& due_time, DueOutcome outcome, std::string_view reason) {
    due_time.outcome = outcome;
    due_time.reason = reason;
  }

  const Schedule& schedule_;
  const DueInput& in_;
  DueDecision out_;
};

}  // namespace

std::int64_t jitter_of(std::uint64_t seed, WallMs due_time, std::int64_t most_ms) {
  if (most_ms <= 0) return 0;
  // Multiplying and folding spreads neighboring due times over all 64 bits before the remainder is
  // taken.
  std::uint64_t mixed = seed ^ (static_cast<std::uint64_t>(due_time) * 0x9E3779B97F4A7C15ULL);
  for (int i = 0; i < 2; ++i) {
    mixed ^= mixed >> 32;
    mixed *= 0xD6E8FEB86659FD93ULL;
  }
  mixed ^= mixed >> 32;
  return static_cast<std::int64_t>(mixed % (static_cast<std::uint64_t>(most_ms) + 1));
}

WallMs with_jitter(const Schedule& schedule, WallMs due_time, std::int64_t jitter_ms,
                   std::uint64_t seed) {
  return due_before(next_after(schedule, due_time), due_time, jitter_ms, seed);
}

DueDecision decide_due(const Schedule& schedule, const DueInput& input) {
  return Decider(schedule, input).decide();
}

}  // namespace drover::triggers
