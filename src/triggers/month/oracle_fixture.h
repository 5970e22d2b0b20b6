// The oracle of a simulated month: it knows the spec (docs/triggers.md), what the Outside did and
// which due times a schedule has by an independent calendar (time/cron_oracle_fixture.h), and
// checks the History against them. It shares no decision with the engine. Each function returns
// what is wrong, one sentence each.
#pragma once

#include <string>
#include <vector>

#include "triggers/month/history_fixture.h"
#include "triggers/month/outside_fixture.h"
#include "triggers/month/plan_fixture.h"

namespace drover::triggers::month {

using Problems = std::vector<std::string>;

struct Month {
  const Plan& plan;
  const Outside& outside;
  const History& history;
  WallMs decided_until = 0;
  std::vector<std::string> fired_by_hand = {};
};

// Everything below.
Problems check_month(const Month& month);

// Every occurrence has one event in the log and the reverse; each fired occurrence has one run,
// each run one occurrence; the totals count every occurrence; nothing is pending; overlap is as the
// trigger says.
Problems check_rows_and_runs(const Month& month);

// Every due time of every schedule is in the ledger once, with an outcome that its policy, its
// backoff and its lateness allow.
Problems check_due_times(const Month& month);

// Every event that reached a trigger is in its ledger once, with an outcome that its filter, its
// dedup and its state allow.
Problems check_events(const Month& month);

// The due times of a schedule from `from` to `to`, in order. Not while other threads use the time
// zone.
std::vector<WallMs> due_times_of(const PlannedTrigger& trigger, WallMs added, WallMs from,
                                 WallMs to);

}  // namespace drover::triggers::month
