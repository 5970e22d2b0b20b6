// The row of the table `evidence`: what is left of a removed run (run/remains.h). A value that is
// the usual one is stored as null, which takes one byte: docs/schema.md describes the columns.
#pragma once

#include <string_view>

#include "run/remains.h"
#include "store/sqlite/database.h"

namespace drover::store::sqlite {

inline constexpr std::string_view kRemainsColumns =
    "id, seq, run_seq, state, reason, origin, exit_code, signal, failed_step, launch_error, "
    "queued_at, started_ms, finished_ms, stdout_bytes, stderr_bytes, cancel_requested, kind, "
    "scope, trace_id, parent_run_id, retried_by, message";

Result<Statement> prepare_insert_remains(Database& database);
Result<> insert_remains(Statement& statement, const run::Remains& remains);

// `corrupt` if a value was not written by Drover.
Result<run::Remains> read_remains(const Row& row);

}  // namespace drover::store::sqlite
