#include "triggers/firing/slot_rows.h"

#include "base/fnv.h"
#include "triggers/explain/cause.h"
#include "triggers/time/due.h"

namespace drover::triggers {
namespace {

// Rows in one commit: a Work has some milliseconds.
constexpr size_t kRowsPerStep = 100;

Outcome outcome_of(SlotOutcome outcome) {
  switch (outcome) {
    case SlotOutcome::fire:
      return Outcome::fired;
    case SlotOutcome::skip:
      return Outcome::skipped;
    case SlotOutcome::coalesce:
      return Outcome::coalesced;
    case SlotOutcome::miss:
      return Outcome::missed;
  }
  return Outcome::missed;
}

// Makes rows, with the details that are known only now.
struct RowMaker {
  const StoredTrigger& trigger;
  WallMs daemon_began;

  std::string reason_of(std::string_view word, WallMs due_at) const {
    if (word == "on_time") return {};
    const bool is_backoff = word == "backoff";
    return std::string(word) + ": " +
           (is_backoff ? backoff_detail(trigger.errors)
                       : std::string(lateness_of(due_at, daemon_began)));
  }
  Occurrence row_of(const SlotDecision& slot) const {
    return {.key = slot_key(slot.slot),
            .due_at = slot.due_at,
            .outcome = outcome_of(slot.outcome),
            .reason = reason_of(slot.reason, slot.due_at)};
  }
  Occurrence row_of(const SlotRange& range) const {
    return {.key = slot_key(range.last),
            .due_at = range.last,
            .outcome = outcome_of(range.outcome),
            .reason = reason_of(range.reason, range.last),
            .run_id = {},
            .count = range.count,
            .first_key = slot_key(range.first)};
  }
};

class Steps {
 public:
  Steps(const StoredTrigger& trigger, const TriggerSpec& spec) : trigger_(trigger), spec_(spec) {}

  // The row belongs to the open step. `behind` is where the trigger stands after it.
  void add(Occurrence row, Position behind) {
    const bool fires = row.outcome == Outcome::fired;
    if (fires) {
      open().occurrence = std::move(row);
    } else {
      open().beside.push_back(std::move(row));
    }
    open().position = behind;
    if (fires || open().beside.size() >= kRowsPerStep) close(behind);
  }

  std::vector<FiringRequest> take(Position end) {
    if (open_) {
      steps_.back().position = end;
    } else if (steps_.empty() && trigger_.next_slot != end.next_slot) {
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
    trigger_.next_slot = behind.next_slot;
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
  if (std::holds_alternative<PollSource>(spec.source)) return {.next_slot = {}, .wake_at = time};
  const Schedule* schedule = spec.schedule();
  const auto next = schedule == nullptr ? std::nullopt : next_after(*schedule, time);
  if (!next) return {};
  return {.next_slot = next,
          .wake_at = due_time(*schedule, *next, spec.jitter_ms, seed_of(trigger))};
}

std::vector<FiringRequest> steps_for(const StoredTrigger& trigger, const TriggerSpec& spec,
                                     WallMs now, WallMs daemon_began) {
  if (!trigger.next_slot) return {};
  const DueDecision decision =
      decide_due(*spec.schedule(), {.next = *trigger.next_slot,
                                    .now = now,
                                    .missed = spec.missed,
                                    .window_ms = spec.missed_window_ms,
                                    .jitter_ms = spec.jitter_ms,
                                    .seed = seed_of(trigger),
                                    .backoff_until = trigger.backoff_until});
  const Position end{.next_slot = decision.next, .wake_at = decision.wake_at};
  Steps steps(trigger, spec);
  const RowMaker make{trigger, daemon_began};
  // Between two steps the trigger stands at the slot that follows, and is due at once.
  for (size_t i = 0; i < decision.older.size(); ++i) {
    const WallMs behind = i + 1 < decision.older.size() ? decision.older[i + 1].first
                          : decision.slots.empty()      ? decision.older[i].last + 1
                                                        : decision.slots.front().slot;
    steps.add(make.row_of(decision.older[i]), {.next_slot = behind, .wake_at = now});
  }
  for (size_t i = 0; i < decision.slots.size(); ++i) {
    const bool is_last = i + 1 == decision.slots.size();
    steps.add(make.row_of(decision.slots[i]),
              is_last ? end : Position{.next_slot = decision.slots[i + 1].slot, .wake_at = now});
  }
  return steps.take(end);
}

}  // namespace drover::triggers
