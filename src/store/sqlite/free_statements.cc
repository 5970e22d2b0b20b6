#include "store/sqlite/free_statements.h"

namespace drover::store::sqlite {
namespace {

Values values_of(const Row& row, int columns) {
  Values values;
  values.reserve(static_cast<size_t>(columns));
  for (int i = 0; i < columns; ++i) {
    if (row.is_null(i)) {
      values.emplace_back(nullptr);
    } else if (row.is_integer(i)) {
      values.emplace_back(row.integer(i));
    } else {
      values.emplace_back(row.text(i));
    }
  }
  return values;
}

}  // namespace

Result<Table> FreeStatements::ask(Database& database, std::string_view sql, const Values& values) {
  auto known = prepared_.find(std::string(sql));
  if (known == prepared_.end()) {
    auto prepared = database.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    known = prepared_.emplace(std::string(sql), std::move(*prepared)).first;
  }
  Statement& statement = known->second;
  int number = 0;
  for (const Value& value : values) {
    // SQLite reads $1 as a name and numbers names by their first use; PostgreSQL reads it as the
    // number.
    const std::string name = "$" + std::to_string(++number);
    const int index = sqlite3_bind_parameter_index(statement.raw(), name.c_str());
    if (value.is_text()) {
      statement.bind(index, std::string_view(value.text()));
    } else {
      statement.bind(index, value.is_null() ? std::nullopt : std::optional(value.integer()));
    }
  }
  Table rows;
  const int columns = sqlite3_column_count(statement.raw());
  auto asked = statement.each([&](const Row& row) { rows.push_back(values_of(row, columns)); });
  if (!asked) return std::unexpected(asked.error());
  return rows;
}

}  // namespace drover::store::sqlite
