// Functions that make the fact of a run's end (run::Ended) from the records of its keeper: from a
// reported ending, or from the journal of a keeper that is dead. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/journal.h"
#include "process/tree.h"
#include "run/fact.h"

namespace drover::dispatch {

// Bounds for the numbers that a keeper recorded or reported. Its files can be damaged, and a
// process of the same user can write them: without the bounds, a sum of such numbers could
// overflow. At most 2^48: more than any disk holds.
std::int64_t sound_count(std::uint64_t count);
// 0 (unknown) if it is not between 1970 and 9999.
WallMs sound_time(WallMs time);

// A run that has exited has started. If the start time is missing, the end time stands for it. If
// both are missing, no keeper has written this record, and the ending becomes Unknown.
void complete_start(run::Ended& ended);

// From a keeper's complete ending. `program` or `cwd` is named in the message of a failed launch.
run::Ended ended_from(const RunId& id, const EndingRecord& ending, const std::string& program,
                      const std::string& cwd, std::optional<UsageRecord> usage = {});

// For a run whose keeper is dead: from its ending, else from its status (a valid status found later
// wins), else unknown. `boot_id` is this boot's.
run::Ended ended_from_journal(const RunId& id, const JournalText& text, std::string_view boot_id,
                              const std::string& program, const std::string& cwd);

// Names in the receipt the processes that could not be killed. Without any, `ended` stays as it is:
// a run without a keeper has no receipt.
void name_survivors(run::Ended& ended, const std::vector<process::Member>& survivors);

}  // namespace drover::dispatch
