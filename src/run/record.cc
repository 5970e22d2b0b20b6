#include "run/record.h"

#include "base/limits.h"
#include "base/text.h"
#include "run/redact.h"

namespace drover::run {

Record first_record(const Spec& spec, const RunId& id, WallMs now, const Secrets& secrets) {
  Record record;
  record.id = id;
  record.trace_id = spec.trace_id.empty() ? id.trace_id() : spec.trace_id;
  record.kind = spec.kind;
  record.scope = spec.scope;
  // The parts of a composite are found by their names, which its script chose.
  record.name = spec.kind == kCommand ? redact(spec.name, secrets) : spec.name;
  record.command = redact_command(spec.command(), secrets);
  record.cwd = bounded(redact(spec.cwd, secrets), limits::kPathBytesMax);
  record.labels = redact_labels(spec.labels, secrets);
  record.lane = spec.lane;
  record.parent_run_id = spec.parent_run_id;
  record.on_restart = spec.on_restart;
  record.grace_ms = spec.grace_ms;
  record.queued_at = now;
  record.priority = spec.priority;
  record.after = spec.after;
  record.after_any = spec.after_any;
  record.retry = spec.retry;
  if (spec.retry.max > 0) record.chain = id.str();
  record.limits = spec.limits;
  record.phase = spec.phase;
  return record;
}

}  // namespace drover::run
