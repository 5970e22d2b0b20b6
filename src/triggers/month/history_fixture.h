// A History is everything that a month left in the store, read for the oracle: the occurrences of
// the ledger, the runs, and the log in order, which says what happened before what.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "run/event.h"
#include "store/store.h"
#include "triggers/ledger/occurrence.h"

namespace drover::triggers::month {

struct RunLife {
  std::string id;
  std::string trigger;
  std::string occurrence_key;  // Its label.
  std::int64_t queued = 0;     // Numbers of the log; 0: it did not happen.
  std::int64_t started = 0;
  std::int64_t canceled = 0;  // Requested.
  std::int64_t ended = 0;
  std::string end;  // "run.completed".
  WallMs finished_at = 0;
  bool is_active(std::int64_t seq) const { return queued < seq && (ended == 0 || ended > seq); }
};

struct RecordedOccurrence {
  Occurrence occurrence;
  std::int64_t seq = 0;  // Of the event in the log that tells of it; 0: there is none.
  int reported = 0;      // How many such events there are.
  std::string_view word() const {
    return std::string_view(occurrence.reason).substr(0, occurrence.reason.find(':'));
  }
};

// A change of a trigger, or the end of one of its runs.
struct Change {
  std::int64_t seq = 0;
  WallMs time = 0;
  std::string type;
  WallMs finished_at = 0;    // Of the run.
  std::string overlap = {};  // To which an edit changed it.
};

struct TriggerHistory {
  std::vector<RecordedOccurrence> occurrences;  // In order.
  std::map<std::string, size_t> by_key;
  std::vector<RunLife> runs;    // In order of their submission.
  std::vector<Change> changes;  // In order.
  LedgerTotals totals;
  // Events in the log about occurrences that the ledger does not have.
  std::vector<std::string> untold;

  const RunLife* run(std::string_view id) const;
  bool is_paused(std::int64_t seq) const;
};

struct History {
  std::map<std::string, TriggerHistory> triggers;
  std::vector<run::Event> log;
};

// By trigger: the overlap policy that each of its edits set.
using Edits = std::map<std::string, std::vector<std::string>>;

History read_history(store::Store& store, const std::vector<std::string>& triggers,
                     const Edits& edits);

// The ledger without what is random: ids and the sentences for people.
std::multiset<std::string> digest(const History& history);

}  // namespace drover::triggers::month
