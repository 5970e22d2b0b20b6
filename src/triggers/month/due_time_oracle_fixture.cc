#include <algorithm>
#include <map>

#include "triggers/month/oracle_fixture.h"

namespace drover::triggers::month {
namespace {

constexpr std::int64_t kLate = 60'000;

// Of the k-th failure in a row.
std::int64_t wait_after(int failures) {
  switch (failures) {
    case 0:
      return 0;
    case 1:
      return 30'000;
    case 2:
      return kMinuteMs;
    case 3:
      return 5 * kMinuteMs;
    case 4:
      return 15 * kMinuteMs;
    default:
      return 60 * kMinuteMs;
  }
}

// Until when a trigger waits, by what was in the log before `seq` (and, unless `with_now`, before
// the time `now`).
WallMs backoff_until(const TriggerHistory& history, std::int64_t seq, WallMs now, bool with_now) {
  int failures = 0;
  WallMs until = 0;
  for (const Change& change : history.changes) {
    if (change.seq >= seq || (!with_now && change.time == now)) continue;
    if (change.type == "run.failed" || change.type == "run.timed_out" ||
        change.type == "run.abandoned") {
      until = change.finished_at + wait_after(++failures);
    } else if (change.type == "run.completed" || change.type == "trigger.changed" ||
               change.type == "trigger.resumed") {
      failures = 0;
      until = 0;
    }
  }
  return until;
}

bool happened_at(const TriggerHistory& history, std::string_view type, WallMs time) {
  return std::ranges::any_of(history.changes, [&](const Change& change) {
    return change.type == type && change.time == time;
  });
}

class DueTimeCheck {
 public:
  DueTimeCheck(const Month& month, const PlannedTrigger& trigger)
      : trigger_(trigger),
        history_(month.history.triggers.at(trigger.name)),
        until_(month.decided_until),
        due_times_(due_times_of(trigger, month.plan.begins, month.plan.begins + 1,
                                month.decided_until + kDayMs)) {}

  Problems run() {
    for (const RecordedOccurrence& recorded : history_.occurrences) {
      if (recorded.occurrence.is_scheduled()) check(recorded);
    }
    for (const WallMs due_time : due_times_) {
      const auto found = accounted_.find(due_time);
      const int times = found == accounted_.end() ? 0 : found->second;
      // Jitter may keep a due time from being due.
      if (times == 0 && due_time + trigger_.jitter_ms <= until_)
        say(due_time_key(due_time) + " is lost");
      if (times > 1) say(due_time_key(due_time) + " is accounted for more than once");
      if (times > 0 && due_time > until_)
        say(due_time_key(due_time) + " was decided before it was due");
    }
    return std::move(problems_);
  }

 private:
  void say(const std::string& what) { problems_.push_back(trigger_.name + ": " + what); }
  void say(const RecordedOccurrence& recorded, const std::string& what) {
    say(recorded.occurrence.key + " " + std::string(name(recorded.occurrence.outcome)) + " (" +
        recorded.occurrence.reason + ", decided at " + rfc3339(recorded.occurrence.decided_at) +
        "): " + what);
  }

  // The due times that the occurrence stands for.
  void count(const RecordedOccurrence& recorded) {
    const auto last = parse_time(recorded.occurrence.key, "key");
    const auto first = recorded.occurrence.first_key.empty()
                           ? last
                           : parse_time(recorded.occurrence.first_key, "first_key");
    if (!last || !first) return say(recorded, "its key is not a time");
    std::int64_t found = 0;
    for (const WallMs due_time : due_times_) {
      if (due_time < *first || due_time > *last) continue;
      ++found;
      ++accounted_[due_time];
    }
    if (found != recorded.occurrence.count)
      say(recorded, "it counts other due times than the schedule has");
    if (!std::ranges::binary_search(due_times_, *last)) say(recorded, "there is no such due time");
  }

  void check(const RecordedOccurrence& recorded) {
    count(recorded);
    const WallMs due_time = parse_time(recorded.occurrence.key, "key").value_or(0);
    const WallMs now = recorded.occurrence.decided_at;
    const std::int64_t late = now - recorded.occurrence.due_at;
    const std::string_view word = recorded.word();
    if (word == "paused" || word == "edited") {
      const char* by = word == "paused" ? "trigger.resumed" : "trigger.changed";
      if (recorded.occurrence.outcome != Outcome::skipped) say(recorded, "it must be skipped");
      if (!happened_at(history_, by, now)) say(recorded, "nobody did that then");
      return;
    }
    if (late < 0) say(recorded, "it was decided before it was due");
    if (recorded.occurrence.due_at < due_time ||
        recorded.occurrence.due_at > due_time + trigger_.jitter_ms) {
      say(recorded, "its jitter is too large");
    }
    const bool is_backoff = word == "backoff";
    const bool waits = due_time < backoff_until(history_, recorded.seq, now, true);
    const bool waited = due_time < backoff_until(history_, recorded.seq, now, false);
    if (waits == waited && waits != is_backoff) say(recorded, "the backoff says otherwise");
    if (is_backoff) {
      if (recorded.occurrence.outcome != Outcome::skipped) say(recorded, "it must be skipped");
      return;
    }
    if (late <= kLate) {
      check_on_time(recorded);
    } else {
      check_late(recorded, due_time);
    }
  }

  void check_on_time(const RecordedOccurrence& recorded) {
    const std::string_view word = recorded.word();
    if (recorded.occurrence.outcome == Outcome::fired && word.empty()) return;
    if (recorded.occurrence.outcome == Outcome::skipped &&
        (word == "overlap" || word == "queue_full"))
      return;
    say(recorded, "it was on time");
  }

  void check_late(const RecordedOccurrence& recorded, WallMs due_time) {
    const std::string_view word = recorded.word();
    const std::int64_t age = recorded.occurrence.decided_at - due_time;
    const bool fires = (recorded.occurrence.outcome == Outcome::fired && word == "caught_up") ||
                       (recorded.occurrence.outcome == Outcome::skipped &&
                        (word == "overlap" || word == "queue_full"));
    if (trigger_.missed == "skip") {
      if (recorded.occurrence.outcome != Outcome::missed || word != "policy_skip")
        say(recorded, "it must be missed");
    } else if (trigger_.missed == "all") {
      const bool is_outside =
          recorded.occurrence.outcome == Outcome::missed && word == "outside_window";
      if (age > trigger_.window_ms ? !is_outside : !fires)
        say(recorded, "the window says otherwise");
    } else if (recorded.occurrence.outcome == Outcome::coalesced && word == "covered_by_later") {
      const bool covered =
          std::ranges::any_of(history_.occurrences, [&](const RecordedOccurrence& other) {
            return other.occurrence.is_scheduled() &&
                   other.occurrence.key > recorded.occurrence.key &&
                   other.occurrence.decided_at >= recorded.occurrence.decided_at &&
                   (recorded.occurrence.run_id.empty() ||
                    other.occurrence.run_id == recorded.occurrence.run_id);
          });
      if (!covered) say(recorded, "no later due time covers it");
    } else if (!fires) {
      say(recorded, "it must be caught up or coalesced");
    } else if (trigger_.jitter_ms == 0) {
      const auto next = std::ranges::upper_bound(due_times_, due_time);
      if (next != due_times_.end() && recorded.occurrence.decided_at - *next > kLate) {
        say(recorded, "a later due time was missed, too");
      }
    }
  }

  const PlannedTrigger& trigger_;
  const TriggerHistory& history_;
  const WallMs until_;
  const std::vector<WallMs> due_times_;
  std::map<WallMs, int> accounted_;
  Problems problems_;
};

}  // namespace

std::vector<WallMs> due_times_of(const PlannedTrigger& trigger, WallMs added, WallMs from,
                                 WallMs to) {
  std::vector<WallMs> out;
  if (trigger.source == "once") {
    if (trigger.once_at >= from && trigger.once_at <= to) out.push_back(trigger.once_at);
  } else if (trigger.source == "every") {
    for (WallMs at = added + trigger.every_ms; at <= to; at += trigger.every_ms) {
      if (at >= from) out.push_back(at);
    }
  } else {
    const LibcZone zone(trigger.zone);
    constexpr std::int64_t kStep = 15 * 60;
    out = by_oracle(trigger.cron, (from / 1'000 / kStep + 1) * kStep, to / 1'000, kStep);
  }
  return out;
}

Problems check_due_times(const Month& month) {
  Problems out;
  for (const PlannedTrigger& one : month.plan.triggers) {
    if (!one.is_schedule()) continue;
    for (std::string& problem : DueTimeCheck(month, one).run()) out.push_back(std::move(problem));
  }
  return out;
}

}  // namespace drover::triggers::month
