// A TriggerWhy explains why a trigger ran, or did not run, at a time: the answer of `drover why
// TRIGGER --at TIME`. Without a time it is about the newest occurrence. Everything is read from the
// ledger and the trigger; nothing is guessed and nothing changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "run/record.h"
#include "store/reads.h"
#include "triggers/definition/spec.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/ledger/occurrence.h"

namespace drover::triggers {

enum class TimeVerdict : std::uint8_t {
  recorded,   // The ledger has the occurrence.
  upcoming,   // A due time in the future.
  undecided,  // A due time that has passed and has no occurrence: the trigger is paused, or busy.
  before_added,    // The trigger did not exist yet.
  forgotten,       // Older than the occurrences that are kept.
  other_schedule,  // A due time of the present schedule; at that time the trigger had another one.
  not_due,         // Not a due time, and no event arrived then.
  nothing_yet,     // Without a time: the ledger has no occurrence.
};
std::string_view name(TimeVerdict verdict);

struct TriggerWhy {
  StoredTrigger trigger;
  TriggerSpec spec;
  std::optional<WallMs> at;  // The time in question.
  TimeVerdict verdict = TimeVerdict::nothing_yet;
  std::optional<Occurrence> occurrence = {};  // If it is recorded.
  std::optional<run::Record> run = {};        // The run of the occurrence, unless it was removed.
  std::optional<WallMs> due_before = {};      // If the time is not due: the nearest times that are,
  std::optional<WallMs> due_after = {};       // or at which an event arrived.
  std::vector<run::Record> active = {};       // Its active runs, newest first.
};

// `at` stands for the second that begins with it, unless it has milliseconds. not_found: there is
// no such trigger.
Result<TriggerWhy> explain(store::Reads& store, const std::string& name, std::optional<WallMs> at,
                           WallMs now);

// The active runs of a trigger, newest first.
Result<std::vector<run::Record>> active_runs_of(store::Reads& store, const std::string& trigger);

}  // namespace drover::triggers
