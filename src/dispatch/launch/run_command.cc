#include "dispatch/launch/run_command.h"

#include <string_view>

#include "base/limits.h"

namespace drover::dispatch {

void name_run(process::Command& command, const RunName& name, const TokenOf& token_of) {
  std::erase_if(command.environment, [](std::string_view variable) {
    const std::string_view key = variable.substr(0, variable.find('='));
    return key == "DROVER_RUN_ID" || key == "DROVER_TRACE_ID" || key == "DROVER_ATTEMPT" ||
           key == "DROVER_TOKEN" || key == "DROVER_SOCKET" || key == "TRACEPARENT";
  });
  command.environment.push_back("DROVER_RUN_ID=" + name.id.str());
  command.environment.push_back("DROVER_TRACE_ID=" + name.trace_id);
  command.environment.push_back("TRACEPARENT=00-" + name.trace_id + "-" + random_hex(16) + "-01");
  if (token_of) command.environment.push_back("DROVER_TOKEN=" + token_of(name.id));
  if (!name.socket.empty()) command.environment.push_back("DROVER_SOCKET=" + name.socket);
  if (name.attempt > 0) {
    command.environment.push_back("DROVER_ATTEMPT=" + std::to_string(name.attempt));
  }
}

static_assert(static_cast<int>(run::Stdin::pipe) == static_cast<int>(process::StdinMode::pipe) &&
              static_cast<int>(run::Stdin::pty) == static_cast<int>(process::StdinMode::pty));

process::Command command_for(const Submission& submission, const run::Record& record,
                             std::uint32_t umask, const TokenOf& token_of,
                             const std::string& socket) {
  const run::Spec& spec = submission.spec;
  process::Command command;
  command.argv = spec.command();
  command.environment = submission.environment;
  const int attempt = record.retry.max > 0 ? record.attempt : 0;
  name_run(command, {record.id, record.trace_id, attempt, socket}, token_of);
  command.cwd = spec.cwd;
  command.stdin_mode = static_cast<process::StdinMode>(spec.stdin_mode);
  if (spec.stdin_mode == run::Stdin::pty) command.terminal = spec.terminal;
  command.umask = umask;
  command.timeout_ms = spec.timeout_ms;
  command.idle_timeout_ms = spec.idle_timeout_ms;
  command.grace_ms = spec.grace_ms;
  command.keeps_environment = run::keeps_environment(record);
  command.has_exact_reader = spec.exact_output;
  command.limits = spec.limits;
  command.lock_file = spec.lock_file;
  command.lock_directory = spec.lock_directory;
  command.output_bytes_max =
      spec.limits.output_bytes != 0 ? spec.limits.output_bytes : limits::kOutputBytesMax;
  return command;
}

}  // namespace drover::dispatch
