// Creating, changing and removing a trigger, for the commands of a person and for the files that
// declare triggers. The first part is pure; the second writes the result, inside a Work.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/transaction.h"
#include "triggers/definition/environment_file.h"
#include "triggers/definition/spec.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/ledger/occurrence.h"

namespace drover::triggers {

// A trigger as it will be, and the occurrences of the ledger that the change adds.
struct TriggerChange {
  StoredTrigger now;  // With the revision that it had.
  std::vector<Occurrence> occurrences = {};
};

Result<> check_variables(const Variables& variables);

// Refused: `no_future_time` if its schedule has no time left.
Result<StoredTrigger> new_trigger(const TriggerSpec& spec, WallMs now, std::string declared_in);

// `was` is the spec of `before`; null if it cannot be read. `spec` has the anchor that the trigger
// gets: `now` if its source is new, otherwise the old one. Due times up to now stay accounted for.
Result<TriggerChange> changed_trigger(const StoredTrigger& before, const TriggerSpec* was,
                                      const TriggerSpec& spec, bool is_new_source, WallMs now);

// The due times that passed since `trigger` stood at its next one, as one occurrence.
std::vector<Occurrence> passed_over(const StoredTrigger& trigger, const TriggerSpec& spec,
                                    WallMs now, std::string reason);

Result<> write_added(store::Transaction& transaction, const StoredTrigger& trigger);
// Refused: `trigger_changed` if the trigger has another revision by now.
Result<> write_changed(store::Transaction& transaction, const TriggerChange& change,
                       std::string_view event);
Result<> write_removed(store::Transaction& transaction, const StoredTrigger& trigger);

}  // namespace drover::triggers
