#include "dispatch/recovery/recovery.h"

namespace drover::dispatch {

Remedy remedy_for(const run::Record& record, const JournalState& journal) {
  const bool unwanted =
      record.cancel_requested || journal.text.cancel || record.on_restart == run::OnRestart::fail;
  if (record.state == run::State::queued) return unwanted ? Remedy::never_start : Remedy::wait;
  if (journal.liveness == Liveness::alive) return Remedy::adopt;
  // Pid 0: the mark of a daemon that forbade the launch; no command was started. If a failing disk
  // lost the identity, any other record of a keeper will do.
  const JournalText& text = journal.text;
  const bool begun =
      text.identity ? text.identity->keeper.pid != 0 : text.started || text.status || text.ending;
  if (begun) return Remedy::conclude;
  // A run that is recorded as `running`, but without a keeper's record, must not be started again:
  // it may have run.
  if (record.state == run::State::running) return Remedy::conclude;
  return unwanted ? Remedy::never_start : Remedy::launch;
}

std::string_view name(Remedy remedy) {
  constexpr std::array<std::string_view, kRemedies.size()> kNames{"waits", "launched", "adopted",
                                                                  "concluded", "never_started"};
  return kNames[static_cast<size_t>(remedy)];
}

}  // namespace drover::dispatch
