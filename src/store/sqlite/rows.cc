#include "store/sqlite/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "store/sqlite/column_values.h"
#include "store/sqlite/plan_text.h"

namespace drover::store::sqlite {
namespace {

using run::Record;

// When a column is written after the run was submitted.
enum class Changes : std::uint8_t { never, with_state, seldom };

struct Column {
  std::string_view name;
  Changes changes;
  void (*bind)(Binder&, const Record&);
  bool (*read)(const Row&, int, Record&);
  bool (*same)(const Record&, const Record&);
};

template <auto Field>
constexpr Column column(std::string_view name, Changes changes) {
  return {.name = name,
          .changes = changes,
          .bind = [](Binder& binder, const Record& r) { binder.add(r.*Field); },
          .read = [](const Row& row, int at, Record& r) { return take(row, at, r.*Field); },
          .same = [](const Record& a, const Record& b) { return a.*Field == b.*Field; }};
}

constexpr Column kPlan{
    .name = "plan",
    .changes = Changes::never,
    .bind = [](Binder& binder, const Record& r) { binder.keep(plan_text(r)); },
    .read = [](const Row& row, int at, Record& r) { return read_plan(row.text(at), r); },
    .same = [](const Record&, const Record&) { return true; }};

// A new column is one line here, and a migration.
constexpr auto kColumns = std::to_array<Column>({
    column<&Record::number>("number", Changes::never),  // First: updates find the row by it.
    column<&Record::id>("id", Changes::never),
    column<&Record::trace_id>("trace_id", Changes::never),
    column<&Record::kind>("kind", Changes::never),
    column<&Record::scope>("scope", Changes::never),
    column<&Record::name>("name", Changes::never),
    column<&Record::state>("state", Changes::with_state),
    column<&Record::reason>("reason", Changes::with_state),
    column<&Record::origin>("origin", Changes::with_state),
    column<&Record::message>("message", Changes::with_state),
    column<&Record::exit_code>("exit_code", Changes::with_state),
    column<&Record::signal>("signal", Changes::with_state),
    column<&Record::failed_step>("failed_step", Changes::with_state),
    column<&Record::launch_error>("launch_error", Changes::with_state),
    column<&Record::command>("command", Changes::never),
    column<&Record::cwd>("cwd", Changes::never),
    column<&Record::labels>("labels", Changes::never),
    column<&Record::lane>("lane", Changes::seldom),
    column<&Record::attempt>("attempt", Changes::never),
    column<&Record::parent_run_id>("parent_run_id", Changes::never),
    column<&Record::on_restart>("on_restart", Changes::never),
    column<&Record::grace_ms>("grace_ms", Changes::never),
    column<&Record::queued_at>("queued_at", Changes::never),
    column<&Record::started_at>("started_at", Changes::with_state),
    column<&Record::finished_at>("finished_at", Changes::with_state),
    column<&Record::cpu_ms>("cpu_ms", Changes::with_state),
    column<&Record::peak_rss_bytes>("peak_rss_bytes", Changes::with_state),
    column<&Record::stdout_bytes>("stdout_bytes", Changes::with_state),
    column<&Record::stderr_bytes>("stderr_bytes", Changes::with_state),
    column<&Record::cancel_requested>("cancel_requested", Changes::with_state),
    column<&Record::cancel_mono_ns>("cancel_mono_ns", Changes::with_state),
    column<&Record::receipt>("receipt", Changes::with_state),
    column<&Record::events>("events", Changes::with_state),
    column<&Record::priority>("priority", Changes::seldom),
    column<&Record::held>("held", Changes::seldom),
    column<&Record::not_before>("not_before", Changes::never),
    kPlan,
    column<&Record::chain>("chain", Changes::seldom),
    column<&Record::retried_by>("retried_by", Changes::seldom),
    column<&Record::phase>("phase", Changes::seldom),
    column<&Record::progress>("progress", Changes::seldom),
});

std::unexpected<Error> bad(std::string_view column, std::string_view id) {
  return fail(
      ErrorCode::corrupt, "database_corrupt",
      fmt::format("column {} of {} has a value that Drover never writes; run `drover doctor`",
                  column, id));
}

Result<Statement> prepare_update(Database& database, Changes changes) {
  std::string sets;
  int index = 1;
  for (const Column& column : kColumns) {
    if (column.changes != changes) continue;
    sets += fmt::format("{}{} = ?{}", sets.empty() ? "" : ", ", column.name, ++index);
  }
  return database.prepare(fmt::format("UPDATE runs SET {} WHERE number = ?1", sets));
}

Result<> update(Statement& statement, const Record& record, Changes changes) {
  Binder binder(statement);
  binder.add(record.number);
  for (const Column& column : kColumns) {
    if (column.changes == changes) column.bind(binder, record);
  }
  return statement.run();
}

}  // namespace

const std::string& run_columns() {
  static const std::string kNames = [] {
    std::string names;
    for (const Column& column : kColumns)
      names.append(names.empty() ? "" : ", ").append(column.name);
    return names;
  }();
  return kNames;
}

Result<run::Record> read_record(const Row& row) {
  run::Record record;
  int at = 0;
  for (const Column& column : kColumns) {
    if (!column.read(row, at++, record)) return bad(column.name, row.text(1));
  }
  return record;
}

Result<run::Event> read_event(const Row& row) {
  run::Event e;
  e.seq = row.integer(0);
  const std::string_view subject = row.text(1);
  if (subject.find('/') != std::string_view::npos) {
    e.other = subject;
  } else if (const auto parsed = RunId::parse(subject)) {
    e.run_id = *parsed;
  } else {
    return bad("subject", subject);
  }
  e.run_seq = row.integer(2);
  e.type = row.text(3);
  e.time = row.integer(4);
  e.trace_id = row.text(5);
  e.scope = row.text(6);
  e.is_final = row.integer(7) != 0;
  e.data = row.text(8);
  return e;
}

Result<Statement> prepare_insert_record(Database& database) {
  std::string places;
  for (size_t i = 1; i <= kColumns.size(); ++i)
    places += fmt::format("{}?{}", i == 1 ? "" : ", ", i);
  return database.prepare(fmt::format("INSERT INTO runs ({}) VALUES ({})", run_columns(), places));
}

Result<> insert_record(Statement& statement, const run::Record& record) {
  Binder binder(statement);
  for (const Column& column : kColumns) column.bind(binder, record);
  return statement.run();
}

Result<Statement> prepare_update_record(Database& database) {
  return prepare_update(database, Changes::with_state);
}

Result<> update_record(Statement& statement, const run::Record& record) {
  return update(statement, record, Changes::with_state);
}

Result<Statement> prepare_update_links(Database& database) {
  return prepare_update(database, Changes::seldom);
}

Result<> update_links(Statement& statement, const run::Record& record) {
  return update(statement, record, Changes::seldom);
}

bool differ_in_links(const run::Record& before, const run::Record& after) {
  return std::ranges::any_of(kColumns, [&](const Column& column) {
    return column.changes == Changes::seldom && !column.same(before, after);
  });
}

Result<Statement> prepare_insert_event(Database& database) {
  return database.prepare(fmt::format(
      "INSERT INTO spine ({}) VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", kEventColumns));
}

Result<> insert_event(Statement& statement, const run::Event& e) {
  return statement.run(stored_subject(e), e.run_seq, e.type, e.time, e.trace_id, e.scope,
                       e.is_final, e.data);
}

}  // namespace drover::store::sqlite
