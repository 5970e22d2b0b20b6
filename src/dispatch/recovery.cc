#include "dispatch/recovery.h"

namespace drover::dispatch {

Remedy remedy_for(const run::Record& record, const Probe& probe) {
  const bool unwanted = record.cancel_requested || record.on_restart == run::OnRestart::fail;
  if (record.state == run::State::queued) return unwanted ? Remedy::never_start : Remedy::wait;
  if (probe.liveness == Liveness::alive) return Remedy::adopt;
  const auto& identity = probe.text.identity;
  // Signed by a daemon that forbade it: no command was started.
  const bool begun = probe.liveness == Liveness::dead && identity && identity->keeper.pid != 0;
  if (begun) return Remedy::conclude;
  // A record that says `running` without a keeper's word cannot be begun again: it may have run.
  if (record.state == run::State::running) return Remedy::conclude;
  return unwanted ? Remedy::never_start : Remedy::launch;
}

}  // namespace drover::dispatch
