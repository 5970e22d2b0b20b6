#include "store/sqlite/links.h"

#include <fmt/format.h>

#include "run/event_data.h"
#include "store/sqlite/questions.h"
#include "store/sqlite/rows.h"

namespace drover::store::sqlite {

Result<> Links::prepare(Database& database) {
  for (const auto& [statement, sql] :
       {std::pair(&standing_, std::string(questions::kDependencyStatus)),
        std::pair(&terminal_, fmt::format("SELECT {}{}", kEventColumns, questions::kTerminal))}) {
    auto prepared = database.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<std::vector<run::Dependency>> Links::dependencies(const run::Fact& fact,
                                                         const run::Record* before) {
  const auto* submitted = std::get_if<run::Submitted>(&fact);
  const run::Record* waits = nullptr;
  if (submitted != nullptr && before == nullptr) waits = &submitted->record;
  if (std::holds_alternative<run::Reviewed>(fact)) waits = before;
  if (waits == nullptr || !waits->waits_for_others()) return {};
  return dependencies_of(*waits, [this](const RunId& id) { return look(id); });
}

Result<DependencyStatus> Links::look(const RunId& id) {
  DependencyStatus status;
  auto asked = standing_.each(
      [&](const Row& row) {
        status = {.known = true,
                  .state = static_cast<run::State>(row.integer(0)),
                  .retried_by = std::string(row.text(1))};
      },
      id.view());
  if (!asked) return std::unexpected(asked.error());
  if (status.known) return status;
  auto read = terminal_.each(
      [&](const Row& row) {
        if (const auto event = read_event(row)) status = dependency_status(run::record_of(*event));
      },
      id.view());
  if (!read) return std::unexpected(read.error());
  return status;
}

}  // namespace drover::store::sqlite
