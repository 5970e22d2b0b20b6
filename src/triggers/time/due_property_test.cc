// The decisions about due times, for random schedules, policies and clocks.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "triggers/time/due.h"

namespace drover::triggers {
namespace {

constexpr WallMs kStart = 1'790'000'000'000;  // Autumn 2026: a repeat is ahead.

Schedule any_schedule() {
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return Every{.interval_ms = *rc::gen::inRange<std::int64_t>(10'000, 90'000'000),
                   .anchor = kStart - *rc::gen::inRange<WallMs>(0, 100'000'000)};
    case 1:
      return *cron_schedule("*/5 * * * *", "Europe/Berlin", 0);
    case 2:
      return *cron_schedule("30 2 * * *", "Europe/Berlin", 0);
    case 3:
      return *cron_schedule("0 1-23/2 * * mon-fri", "America/New_York", 0);
    case 4:
      return *cron_schedule("*/10 * * * * *", "Australia/Lord_Howe", 0);
    default:
      return OneTime{.at = kStart + *rc::gen::inRange<WallMs>(0, 10'000'000'000)};
  }
}

// A clock that runs, sleeps, jumps ahead and is set back.
WallMs moved(WallMs now) {
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return now - *rc::gen::inRange<WallMs>(0, 5'000'000'000);
    case 1:
      return now + *rc::gen::inRange<WallMs>(0, 5'000'000'000);
    case 2:
      return now;
    default:
      return now + *rc::gen::inRange<WallMs>(0, 300'000);
  }
}

// Checks one decision by the definition of each outcome, without the order of evaluation in the
// code.
void check_outcomes(const DueInput& in, const DueDecision& out) {
  std::vector<DecidedTime> late;
  for (const DecidedTime& due_time : out.due_times) {
    RC_ASSERT((due_time.due_at >= due_time.due_time &&
               due_time.due_at <= due_time.due_time + in.jitter_ms));
    RC_ASSERT(due_time.due_at <= in.now);
    const bool is_late = in.now - due_time.due_at > kLateMs;
    if (due_time.due_time < in.backoff_until) {
      RC_ASSERT((due_time.outcome == DueOutcome::skip && due_time.reason == "backoff"));
    } else if (!is_late) {
      RC_ASSERT((due_time.outcome == DueOutcome::fire && due_time.reason == "on_time"));
    } else {
      late.push_back(due_time);
    }
  }
  const auto fired = std::ranges::count(late, DueOutcome::fire, &DecidedTime::outcome);
  switch (in.missed) {
    case MissedPolicy::once:
      RC_ASSERT(fired == (late.empty() ? 0 : 1));
      RC_ASSERT((late.empty() || late.back().outcome == DueOutcome::fire));
      break;
    case MissedPolicy::skip:
      RC_ASSERT(fired == 0);
      break;
    case MissedPolicy::all:
      RC_ASSERT(fired == std::ranges::count_if(late, [&](const DecidedTime& due_time) {
                  return due_time.due_time >= in.now - in.window_ms;
                }));
      break;
  }
  for (const DecidedRange& range : out.older) RC_ASSERT(range.outcome != DueOutcome::fire);
}

// Whatever the clock does, every due time from the first `next` to the last one is decided exactly
// once and in order, and `next` never decreases.
RC_GTEST_PROP(DueProperty, EveryDueTimeIsDecidedOnce, ()) {
  const Schedule schedule = any_schedule();
  DueInput in{
      .now = kStart,
      .missed = *rc::gen::element(MissedPolicy::once, MissedPolicy::skip, MissedPolicy::all),
      .window_ms = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000),
      .jitter_ms = *rc::gen::element<std::int64_t>(0, 1, 30'000, 7'200'000),
      .seed = *rc::gen::arbitrary<std::uint64_t>()};
  const auto first = next_after(schedule, kStart);
  RC_PRE(first.has_value());
  in.next = *first;
  WallMs expected = *first;  // The next due time that must be accounted for.
  std::optional<WallMs> next = first;
  for (int steps = *rc::gen::inRange(1, 30); steps > 0 && next; --steps) {
    in.now = moved(in.now);
    in.next = *next;
    if (*rc::gen::inRange(0, 4) == 0) {
      in.backoff_until = in.now + *rc::gen::inRange<std::int64_t>(-3'600'000, 3'600'000);
    }
    const DueDecision out = decide_due(schedule, in);
    for (const DecidedRange& range : out.older) {
      RC_ASSERT(range.first == expected);
      RC_ASSERT(range.count == count_due_times(schedule, range.first, range.last));
      RC_ASSERT(next_after(schedule, range.last - 1) == range.last);
      expected = next_after(schedule, range.last).value();
    }
    RC_ASSERT((out.older.empty() || std::ssize(out.due_times) >= kDueTimesListedMax - 1));
    RC_ASSERT(std::ssize(out.due_times) <= kDueTimesListedMax);
    for (const DecidedTime& due_time : out.due_times) {
      RC_ASSERT(due_time.due_time == expected);
      expected = next_after(schedule, due_time.due_time).value_or(-1);
    }
    check_outcomes(in, out);
    RC_ASSERT(out.next.value_or(-1) == expected);
    RC_ASSERT(out.next.has_value() == out.wake_at.has_value());
    if (out.next) RC_ASSERT((*out.next >= *next && *out.wake_at > in.now));
    next = out.next;
  }
}

// The decision depends on its input only: made again, it is the same.
RC_GTEST_PROP(DueProperty, IsRepeatable, ()) {
  const Schedule schedule = any_schedule();
  const DueInput in{.next = kStart,
                    .now = kStart + *rc::gen::inRange<WallMs>(0, 500'000'000),
                    .jitter_ms = 60'000,
                    .seed = *rc::gen::arbitrary<std::uint64_t>()};
  const DueDecision one = decide_due(schedule, in);
  const DueDecision two = decide_due(schedule, in);
  RC_ASSERT(one.due_times == two.due_times);
  RC_ASSERT(one.older == two.older);
  RC_ASSERT(one.wake_at == two.wake_at);
}

}  // namespace
}  // namespace drover::triggers
