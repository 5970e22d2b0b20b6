#include "triggers/firing/firing_steps.h"

#include "base/fnv.h"
#include "triggers/explain/cause.h"
#include "triggers/time/due.h"

namespace drover::triggers {
namespace {

// Occurrences in one commit: a Work has some milliseconds.
constexpr size_t kOccurrencesPerStep = 100;

Outcome outcome_of(DueOutcome outcome) {
  switch (outcome) {
    case DueOutcome::fire:
      return Outcome::fired;
    case DueOutcome::skip:
      return Outcome::skipped;
    case DueOutcome::coalesce:
      return Outcome::coalesced;
    case DueOutcome::miss:
      return Outcome::missed;
  }
  return Outcome::missed;
}

// Makes occurrences, with the details that are known only now.
struct OccurrenceMaker {
  const StoredTrigger& trigger;
  WallMs daemon_began;

  std::string reason_of(std::string_view word, WallMs due_at) const {
    if (word == "on_time") return {};
    const bool is_backoff = word == "backoff";
    return std::string(word) + ": " +
           (is_backoff ? backoff_detail(trigger.errors)
                       : std::string(lateness_of(due_at, daemon_began)));
  }
  Occurrence occurrence_of(const DecidedTime& due_time) const {
    return {.key = due_time_key(due_time.due_time),
            .due_at = due_time.due_at,
            .outcome = outcome_of(due_time.outcome),
            .reason = reason_of(due_time.reason, due_time.due_at)};
  }
  Occurrence occurrence_of(const DecidedRange& range) const {
    return {.key = due_time_key(range.last),
            .due_at = range.last,
            .outcome = outcome_of(range.outcome),
            .reason = reason_of(range.reason, range.last),
            .run_id = {},
            .count = range.count,
            .first_key = due_time_key(range.first)};
  }
};

class Steps {
 public:
  Steps(const StoredTrigger& trigger, const TriggerSpec& spec) : trigger_(trigger), spec_(spec) {}

  // The occurrence belongs to the open step. `behind` is where the trigger stands after it.
  void add(Occurrence occurrence, Position behind) {
    const bool fires = occurrence.outcome == Outcome::fired;
    if (fires) {
      open().occurrence = std::move(occurrence);
    } else {
      open().beside.push_back(std::move(occurrence));
    }
    open().position = behind;
    if (fires || open().beside.size() >= kOccurrencesPerStep) close(behind);
  }

  std::vector<FiringRequest> take(Position end) {
    if (open_) {
      steps_.back().position = end;
    } else if (steps_.empty() && trigger_.next_due != end.next_due) {
      open().position = end;
    }
    return std::move(steps_);
  }

 private:
  FiringRequest& open() {
    if (!open_) {
      steps_.push_back({.trigger = trigger_, .spec = spec_, .occurrence = {}});
      open_ = true;
    }
    return steps_.back();
  }
  void close(Position behind) {
    open_ = false;
    trigger_.next_due = behind.next_due;
  }

  StoredTrigger trigger_;  // With the position at which the open step begins.
  const TriggerSpec& spec_;
  std::vector<FiringRequest> steps_;
  bool open_ = false;
};

}  // namespace

std::uint64_t seed_of(const StoredTrigger& trigger) {
  return fnv(trigger.name);
}

std::string zone_version_of(const TriggerSpec& spec) {
  const Schedule* schedule = spec.schedule();
  const auto* cron = schedule == nullptr ? nullptr : std::get_if<CronSchedule>(schedule);
  return cron == nullptr ? "" : cron->zone.version();
}

Position position_after(const TriggerSpec& spec, const StoredTrigger& trigger, WallMs time) {
  // A feed or page is polled at once, then when its state says.
  if (std::holds_alternative<PollSource>(spec.source)) return {.next_due = {}, .wake_at = time};
  const Schedule* schedule = spec.schedule();
  const auto next = schedule == nullptr ? std::nullopt : next_after(*schedule, time);
  if (!next) return {};
  return {.next_due = next,
          .wake_at = with_jitter(*schedule, *next, spec.jitter_ms, seed_of(trigger))};
}

std::vector<FiringRequest> steps_for(const StoredTrigger& trigger, const TriggerSpec& spec,
                                     WallMs now, WallMs daemon_began) {
  if (!trigger.next_due) return {};
  const DueDecision decision =
      decide_due(*spec.schedule(), {.next = *trigger.next_due,
                                    .now = now,
                                    .missed = spec.missed,
                                    .window_ms = spec.missed_window_ms,
                                    .jitter_ms = spec.jitter_ms,
                                    .seed = seed_of(trigger),
                                    .backoff_until = trigger.backoff_until});
  const Position end{.next_due = decision.next, .wake_at = decision.wake_at};
  Steps steps(trigger, spec);
  const OccurrenceMaker make{trigger, daemon_began};
  // Between two steps the trigger stands at the due time that follows, and is due at once.
  for (size_t i = 0; i < decision.older.size(); ++i) {
    const WallMs behind = i + 1 < decision.older.size() ? decision.older[i + 1].first
                          : decision.due_times.empty()  ? decision.older[i].last + 1
                                                        : decision.due_times.front().due_time;
    steps.add(make.occurrence_of(decision.older[i]), {.next_due = behind, .wake_at = now});
  }
  for (size_t i = 0; i < decision.due_times.size(); ++i) {
    const bool is_last = i + 1 == decision.due_times.size();
    steps.add(
        make.occurrence_of(decision.due_times[i]),
        is_last ? end : Position{.next_due = decision.due_times[i + 1].due_time, .wake_at = now});
  }
  return steps.take(end);
}

}  // namespace drover::triggers
