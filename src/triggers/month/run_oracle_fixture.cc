#include <algorithm>
#include <map>

#include "triggers/month/oracle_fixture.h"

namespace drover::triggers::month {
namespace {

class RunCheck {
 public:
  RunCheck(const PlannedTrigger& trigger, const TriggerHistory& history)
      : trigger_(trigger), history_(history) {}

  Problems run() {
    check_occurrences();
    check_runs();
    check_totals();
    for (const RecordedOccurrence& recorded : history_.occurrences) check_overlap(recorded);
    return std::move(problems_);
  }

 private:
  void say(const std::string& what) { problems_.push_back(trigger_.name + ": " + what); }

  void check_occurrences() {
    for (const std::string& one : history_.untold) say("the log has " + one);
    for (const RecordedOccurrence& recorded : history_.occurrences) {
      if (recorded.occurrence.outcome == Outcome::pending)
        say(recorded.occurrence.key + " is still pending");
      if (recorded.reported != 1)
        say(recorded.occurrence.key + " was reported " + std::to_string(recorded.reported) +
            " times");
      const bool has_run = !recorded.occurrence.run_id.empty();
      if (recorded.occurrence.outcome == Outcome::fired && !has_run)
        say(recorded.occurrence.key + " fired without a run");
      const bool may_have = recorded.occurrence.outcome == Outcome::fired ||
                            recorded.occurrence.outcome == Outcome::coalesced;
      if (has_run && !may_have) say(recorded.occurrence.key + " has a run and did not fire");
      const RunLife* run = history_.run(recorded.occurrence.run_id);
      if (has_run && run == nullptr)
        say(recorded.occurrence.key + " names a run that does not exist");
      if (run != nullptr && recorded.occurrence.outcome == Outcome::fired &&
          run->occurrence_key != recorded.occurrence.key) {
        say(recorded.occurrence.key + " names the run of " + run->occurrence_key);
      }
    }
  }

  void check_runs() {
    for (const RunLife& run : history_.runs) {
      const auto occurrences =
          std::ranges::count_if(history_.occurrences, [&](const RecordedOccurrence& recorded) {
            return recorded.occurrence.outcome == Outcome::fired &&
                   recorded.occurrence.run_id == run.id;
          });
      if (occurrences != 1)
        say("the run of " + run.occurrence_key + " has " + std::to_string(occurrences) +
            " occurrences");
      if (run.queued == 0) say("the run of " + run.occurrence_key + " has no beginning");
    }
  }

  void check_totals() {
    std::map<Outcome, std::int64_t> counted;
    for (const RecordedOccurrence& recorded : history_.occurrences)
      counted[recorded.occurrence.outcome] += recorded.occurrence.count;
    const LedgerTotals& totals = history_.totals;
    if (totals.fired != counted[Outcome::fired] || totals.skipped != counted[Outcome::skipped] ||
        totals.coalesced != counted[Outcome::coalesced] ||
        totals.missed != counted[Outcome::missed]) {
      say("its totals are not the sums of its occurrences");
    }
  }

  // By the edits before.
  std::string overlap_at(std::int64_t seq) const {
    std::string out = trigger_.overlap;
    for (const Change& change : history_.changes) {
      if (change.seq < seq && !change.overlap.empty()) out = change.overlap;
    }
    return out;
  }

  void check_overlap(const RecordedOccurrence& recorded) {
    const RunLife* own = history_.run(recorded.occurrence.run_id);
    const bool fired = recorded.occurrence.outcome == Outcome::fired && own != nullptr;
    // Its run is queued in the same commit, just before the event about the occurrence.
    const std::int64_t at = fired ? own->queued : recorded.seq;
    std::vector<const RunLife*> active;
    for (const RunLife& run : history_.runs) {
      if (&run != own && run.is_active(at)) active.push_back(&run);
    }
    const std::string overlap = overlap_at(at);
    const std::string_view word = recorded.word();
    if (word == "overlap" && overlap != "skip") {
      say(recorded.occurrence.key + " was skipped, and its runs may " + overlap);
    }
    // The refusal and the occurrence are two commits; the run may end between them.
    const bool ended_now = std::ranges::any_of(history_.runs, [&](const RunLife& run) {
      return run.ended != 0 && run.finished_at == recorded.occurrence.decided_at;
    });
    if (word == "overlap" && active.empty() && !ended_now) {
      say(recorded.occurrence.key + " was skipped at " + rfc3339(recorded.occurrence.decided_at) +
          ", and no run was active: " + recorded.occurrence.reason);
    }
    if (word == "queue_full" && active.size() <= 100) {
      say(recorded.occurrence.key + " was skipped, and the queue was not full");
    }
    if (!fired || active.empty()) return;
    if (overlap == "skip")
      say(recorded.occurrence.key + " fired beside " + active.front()->occurrence_key);
    for (const RunLife* other : active) {
      if (own->started != 0 && (other->ended == 0 || other->ended > own->started)) {
        say("the run of " + recorded.occurrence.key + " began before that of " +
            other->occurrence_key + " had finished");
      }
      if (overlap == "replace" && (other->canceled == 0 || other->canceled > recorded.seq)) {
        say(recorded.occurrence.key + " did not replace the run of " + other->occurrence_key);
      }
    }
  }

  const PlannedTrigger& trigger_;
  const TriggerHistory& history_;
  Problems problems_;
};

}  // namespace

Problems check_rows_and_runs(const Month& month) {
  Problems out;
  for (const PlannedTrigger& one : month.plan.triggers) {
    for (std::string& problem : RunCheck(one, month.history.triggers.at(one.name)).run()) {
      out.push_back(std::move(problem));
    }
  }
  for (const auto& [name, history] : month.history.triggers) {
    if (month.plan.find(name) == nullptr) out.push_back("somebody has runs of " + name);
  }
  return out;
}

Problems check_month(const Month& month) {
  Problems out = check_rows_and_runs(month);
  for (auto check : {check_due_times, check_events}) {
    for (std::string& problem : check(month)) out.push_back(std::move(problem));
  }
  return out;
}

}  // namespace drover::triggers::month
