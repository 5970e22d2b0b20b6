#include "doctor/known_runs.h"

#include <unistd.h>

#include "doctor/spine_checks.h"

namespace drover::doctor {

Result<std::optional<run::State>> state_of(store::sqlite::Database& database, const RunId& id) {
  auto statement = database.prepare("SELECT state FROM runs WHERE id = ?1");
  if (!statement) return std::unexpected(statement.error());
  std::optional<run::State> state;
  auto read = statement->each(
      [&](const store::sqlite::Row& row) { state = static_cast<run::State>(row.integer(0)); },
      id.view());
  if (!read) return std::unexpected(read.error());
  return state;
}

Result<bool> is_known(store::sqlite::Database& database, const Home& home, const RunId& id) {
  if (::access(home.run_file(id).c_str(), F_OK) == 0) return true;
  const auto has_evidence = database.integer("SELECT count(*) FROM pragma_table_info('evidence')");
  if (!has_evidence) return std::unexpected(has_evidence.error());
  const auto sql = in_schema_names(database, *has_evidence == 0
                                                 ? "SELECT 1 FROM spine WHERE subject = ?1 LIMIT 1"
                                                 : "SELECT 1 FROM spine WHERE subject = ?1 UNION "
                                                   "SELECT 1 FROM evidence WHERE id = ?1");
  if (!sql) return std::unexpected(sql.error());
  auto statement = database.prepare(*sql);
  if (!statement) return std::unexpected(statement.error());
  bool known = false;
  auto read = statement->each([&](const store::sqlite::Row&) { known = true; }, id.view());
  if (!read) return std::unexpected(read.error());
  return known;
}

}  // namespace drover::doctor
