// From what a keeper left behind to what goes on record: pure.
#pragma once

#include "base/journal.h"
#include "run/fact.h"

namespace drover::dispatch {

// A keeper's complete ending. `detail` names what a failed launch is about: the program or
// directory.
run::Ended ended_from(const RunId& id, const EndingRecord& ending, const std::string& program,
                      const std::string& cwd, std::optional<UsageRecord> usage = {});

// What can be said of a run whose keeper is dead: its ending, else its status (a valid status found
// later wins), else that nobody knows. `boot_id` is this boot's.
run::Ended ended_from_journal(const RunId& id, const JournalText& text, std::string_view boot_id,
                              const std::string& program, const std::string& cwd);

}  // namespace drover::dispatch
