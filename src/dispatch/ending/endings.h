// Turns what a keeper left behind into the fact to record. Pure.
#pragma once

#include <vector>

#include "base/journal.h"
#include "process/tree.h"
#include "run/fact.h"

namespace drover::dispatch {

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
