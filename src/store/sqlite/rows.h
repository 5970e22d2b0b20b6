// Functions that convert records and events to columns and back. Each column of `runs` is one line
// of one list (rows.cc): its name, when it changes, how it is written and how it is read; every
// statement is generated from that list. docs/schema.md describes the columns.
#pragma once

#include <string>
#include <string_view>

#include "run/event.h"
#include "run/record.h"
#include "store/sqlite/database.h"

namespace drover::store::sqlite {

// In the order that read_record expects.
const std::string& run_columns();
inline constexpr std::string_view kEventColumns =
    "seq, subject, run_seq, type, time, trace_id, scope, terminal, data";

// `corrupt` if a value was not written by Drover.
Result<run::Record> read_record(const Row& row);
Result<run::Event> read_event(const Row& row);

// The subject as stored: a run by its bare id, everything else by its whole name.
inline std::string_view stored_subject(const run::Event& event) {
  return event.is_of_run() ? event.run_id.view() : std::string_view(event.other);
}

// For a new record.
Result<Statement> prepare_insert_record(Database& database);
Result<> insert_record(Statement& statement, const run::Record& record);

// The columns that change with a run's state; the other indexes stay untouched.
Result<Statement> prepare_update_record(Database& database);
Result<> update_record(Statement& statement, const run::Record& record);

// The columns that few runs ever change: place, links to other runs, phase.
Result<Statement> prepare_update_links(Database& database);
Result<> update_links(Statement& statement, const run::Record& record);
bool differ_in_links(const run::Record& before, const run::Record& after);

Result<Statement> prepare_insert_event(Database& database);
Result<> insert_event(Statement& statement, const run::Event& event);

}  // namespace drover::store::sqlite
