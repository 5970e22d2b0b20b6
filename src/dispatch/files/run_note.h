// A run's note is what its file says about the run besides the command (process/command.h): scope,
// kind, trace, lane and so on, as JSON. With it a run can be recorded once more from its file
// alone, after an older database was restored (dispatch/recovery/take_up.h). Most fields have their
// default and are left out. docs/keeper-files.md describes it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "process/command.h"
#include "run/record.h"

namespace drover::dispatch {

// The parts of a submission that are not in the record; each may be empty.
struct NotedSubmission {
  std::string key = {};
  std::string digest = {};
  std::string exact_reader = {};  // run::Spec::exact_reader
};

std::string note_of(const run::Record& record, const process::Command& command,
                    const NotedSubmission& submission = {});

struct NotedRun {
  run::Record record;  // As it was submitted.
  NotedSubmission submission = {};
};

// The run with this id, from what its file says. The environment is not used, except in a file of
// an earlier release, which has no note: then kind, lane and time are those of the id and of any
// command, the trace is that of its environment, and the scope is empty, so that only the owner
// sees it. `invalid`: the note cannot be read.
Result<NotedRun> noted_run(const RunId& id, const process::Command& command);

}  // namespace drover::dispatch
