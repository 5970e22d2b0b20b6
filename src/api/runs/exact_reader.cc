#include "api/runs/exact_reader.h"

#include "dispatch/files/run_note.h"
#include "process/command.h"

namespace drover::api {
namespace {

bool started(const access::Grant& grant, const RunId& id, const Home& home) {
  if (grant.token_id.empty()) return false;
  const auto command = process::read_command(home.run_file(id));
  if (!command) return false;
  const auto noted = dispatch::noted_run(id, *command);
  return noted && noted->submission.exact_reader == grant.token_id;
}

}  // namespace

Result<> note_exact_reader(const access::Grant& grant, run::Spec& spec) {
  if (!spec.exact_output) return {};
  if (access::may(grant, wire::Permission::read) != access::Verdict::yes) {
    return fail(ErrorCode::invalid, "forbidden",
                "this token may start runs but not read their output; start the run with "
                "`--detach`, or use a token that was created with --can read,run",
                "exact_output");
  }
  if (access::may(grant, wire::Permission::cancel) != access::Verdict::yes) {
    spec.exact_reader = grant.token_id;
  }
  return {};
}

Result<> check_exact_reader(const access::Grant& grant, const access::TargetRun& target,
                            const Home& home) {
  if (access::may(grant, wire::Permission::cancel, &target) == access::Verdict::yes) return {};
  if (started(grant, target.id, home)) return {};
  return fail(ErrorCode::invalid, "forbidden",
              "this token may not slow this run, which it did not start: exact needs a token that "
              "was created with --can cancel",
              "exact");
}

}  // namespace drover::api
