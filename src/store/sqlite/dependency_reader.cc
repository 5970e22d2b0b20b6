#include "store/sqlite/dependency_reader.h"

#include <fmt/format.h>

#include "run/event_data.h"
#include "store/sqlite/fixed_sql.h"
#include "store/sqlite/remains_row.h"
#include "store/sqlite/rows.h"

namespace drover::store::sqlite {

Result<> DependencyReader::prepare(Database& database) {
  for (const auto& [statement, sql] :
       {std::pair(&stored_, std::string(fixed_sql::kDependencyStatus)),
        std::pair(&final_event_, fmt::format("SELECT {}{}", kEventColumns, fixed_sql::kFinalEvent)),
        std::pair(&evidence_, fmt::format("SELECT {}{}", kRemainsColumns, fixed_sql::kEvidence))}) {
    auto prepared = database.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<std::vector<run::Dependency>> DependencyReader::dependencies(const run::Fact& fact,
                                                                    const run::Record* before) {
  const auto* submitted = std::get_if<run::Submitted>(&fact);
  const run::Record* waits = nullptr;
  if (submitted != nullptr && before == nullptr) waits = &submitted->record;
  const auto* taken = std::get_if<run::TakenUp>(&fact);
  if (taken != nullptr && before == nullptr) waits = &taken->record;
  if (std::holds_alternative<run::Reviewed>(fact)) waits = before;
  if (waits == nullptr || !waits->waits_for_others()) return {};
  return dependencies_of(*waits, [this](const RunId& id) { return look(id); });
}

Result<DependencyStatus> DependencyReader::look(const RunId& id) {
  DependencyStatus status;
  auto asked = stored_.each(
      [&](const Row& row) {
        status = {.known = true,
                  .state = static_cast<run::State>(row.integer(0)),
                  .retried_by = std::string(row.text(1))};
      },
      id.view());
  if (!asked) return std::unexpected(asked.error());
  if (status.known) return status;
  auto read = final_event_.each(
      [&](const Row& row) {
        if (const auto event = read_event(row)) status = dependency_status(run::record_of(*event));
      },
      id.view());
  if (!read) return std::unexpected(read.error());
  if (status.known) return status;
  auto left = evidence_.each(
      [&](const Row& row) {
        if (const auto remains = read_remains(row)) status = dependency_status(remains->record);
      },
      id.view());
  if (!left) return std::unexpected(left.error());
  return status;
}

}  // namespace drover::store::sqlite
