// A run's command as its file holds it: what was submitted, with the names by which a command knows
// its own run (DROVER_RUN_ID, DROVER_TRACE_ID, TRACEPARENT, DROVER_TOKEN, DROVER_ATTEMPT).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dispatch/dispatcher.h"
#include "process/command.h"

namespace drover::dispatch {

// What a run may call the daemon with. Not set: runs get no token.
using TokenOf = std::function<std::string(const RunId&)>;

struct RunName {
  RunId id;
  std::string trace_id;
  int attempt = 0;  // 0: it is not told.
};

// Replaces the names of another run, if there are any: what goes by another run's name would be
// ended with that run.
void name_run(process::Command& command, const RunName& name, const TokenOf& token_of);

// `umask` is what the command gets.
process::Command command_for(const Submission& submission, const run::Record& record,
                             std::uint32_t umask, const TokenOf& token_of);

}  // namespace drover::dispatch
