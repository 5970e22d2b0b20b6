// Rows are records and events as columns, there and back. What a column means is in docs/schema.md.
#pragma once

#include <string>
#include <string_view>

#include "run/event.h"
#include "run/record.h"
#include "store/sqlite/database.h"

namespace drover::store::sqlite {

// In the order in which read_record takes them.
inline constexpr std::string_view kRunColumns =
    "number, id, trace_id, kind, scope, name, state, reason, origin, message, exit_code, signal, "
    "failed_step, launch_error, command, cwd, labels, lane, attempt, parent_run_id, on_restart, "
    "grace_ms, queued_at, started_at, finished_at, cpu_ms, peak_rss_bytes, stdout_bytes, "
    "stderr_bytes, cancel_requested, cancel_mono_ns, receipt, events, priority, held, not_before, "
    "plan, chain, retried_by, session";
inline constexpr std::string_view kEventColumns =
    "seq, run_id, run_seq, type, time, trace_id, scope, terminal, data";

// `corrupt` if a value is none that Drover writes.
Result<run::Record> read_record(const Row& row);
Result<run::Event> read_event(const Row& row);

// A record that was never written before.
Result<Statement> prepare_insert_record(Database& database);
Result<> insert_record(Statement& statement, const run::Record& record);

// What can change after submission, and nothing else: the other indexes stay untouched.
Result<Statement> prepare_update_record(Database& database);
Result<> update_record(Statement& statement, const run::Record& record);

Result<Statement> prepare_insert_event(Database& database);
Result<> insert_event(Statement& statement, const run::Event& event);

}  // namespace drover::store::sqlite
