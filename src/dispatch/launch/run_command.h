// Functions that make the command in a run's file: the submitted one, and the variables that tell a
// command about its own run (DROVER_RUN_ID, DROVER_TRACE_ID, TRACEPARENT, DROVER_TOKEN,
// DROVER_SOCKET, DROVER_ATTEMPT).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dispatch/dispatcher.h"
#include "process/command.h"

namespace drover::dispatch {

// Returns the token with which a run may call the daemon. Not set: runs get no token.
using TokenOf = std::function<std::string(const RunId&)>;

struct RunName {
  RunId id;
  std::string trace_id;
  int attempt = 0;          // 0: the variable is not set.
  std::string socket = {};  // Of the daemon; empty: the variable is not set.
};

// Replaces the variables of another run, if there are any: a process that carries another run's id
// would be killed with that run.
void name_run(process::Command& command, const RunName& name, const TokenOf& token_of);

// `umask` is the command's.
process::Command command_for(const Submission& submission, const run::Record& record,
                             std::uint32_t umask, const TokenOf& token_of,
                             const std::string& socket = {});

}  // namespace drover::dispatch
