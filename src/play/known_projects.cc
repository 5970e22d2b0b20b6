#include "play/known_projects.h"

#include <fmt/format.h>

#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "play/kinds.h"
#include "play/limits.h"
#include "play/play_session.h"

namespace drover::play {
namespace {

// These are the tables of the first databases: existing ones are kept unchanged.
constexpr auto kMigrations = std::to_array<std::string_view>({
    R"sql(
CREATE TABLE IF NOT EXISTS projects (
  id TEXT PRIMARY KEY,
  root TEXT NOT NULL UNIQUE,
  added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO lanes (name, lane_limit) VALUES ('play', 64) ON CONFLICT (name) DO NOTHING;
)sql",
});
static_assert(kLane == "play" && kPlayLaneLimit == 64);

// Search among the active runs, which are few; the scope may have a long history.
constexpr auto kActivePlay =
    "SELECT id FROM runs WHERE state IN (0, 1, 2) AND state < 3 AND lane = '' "
    "AND scope || '' = $1 AND kind = $2 LIMIT 1";

std::unexpected<Error> project_is_played(std::string_view id, std::string_view play) {
  return fail(
      ErrorCode::conflict, "project_busy",
      fmt::format("{0} is being played as {1}; stop it first: drover play stop {0}", id, play),
      "project");
}

std::unexpected<Error> project_elsewhere(std::string_view id, std::string_view root) {
  return fail(ErrorCode::conflict, "project_elsewhere",
              fmt::format("project {} is already registered in {}; choose another id in "
                          "drover.toml, or remove the other project with `drover project rm {}`",
                          id, root, id),
              "project");
}

// A caller who may read in the project's scope may read this event.
store::SubjectEvent subject_event(const std::string& id, std::string type) {
  return {.subject = "project/" + id, .type = std::move(type), .scope = scope_of(id)};
}

KnownProject project_in(const store::Values& row) {
  return {.id = row[0].text(), .root = row[1].text(), .added_at = row[2].integer()};
}

}  // namespace

const store::RoomSchema kTables{.room = "play", .migrations = kMigrations};

std::unexpected<Error> no_such_project(std::string_view id) {
  return fail(ErrorCode::not_found, "not_found", fmt::format("there is no project {}", id),
              "project");
}

Result<std::vector<KnownProject>> known_projects(store::Reads& store) {
  const auto rows = store.query("SELECT id, root, added_at FROM projects ORDER BY id", {});
  if (!rows) return std::unexpected(rows.error());
  std::vector<KnownProject> all;
  for (const store::Values& row : *rows) all.push_back(project_in(row));
  return all;
}

Result<KnownProject> known_project(store::Reads& store, const std::string& id) {
  const auto rows = store.query("SELECT id, root, added_at FROM projects WHERE id = $1", {id});
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return no_such_project(id);
  return project_in(rows->front());
}

Result<> check_project(store::Transaction& transaction, const std::string& id) {
  const auto rows = transaction.query("SELECT 1 FROM projects WHERE id = $1", {id});
  if (!rows) return std::unexpected(rows.error());
  return rows->empty() ? Result<>(no_such_project(id)) : Result<>{};
}

store::Work add_project(KnownProject project) {
  return [project = std::move(project)](store::Transaction& transaction) -> Result<> {
    const auto known =
        transaction.query("SELECT id, root, added_at FROM projects WHERE id = $1 OR root = $2",
                          {project.id, project.root});
    if (!known) return std::unexpected(known.error());
    for (const store::Values& row : *known) {
      const KnownProject other = project_in(row);
      if (other.id == project.id && other.root == project.root) return {};
      return project_elsewhere(other.id, other.root);
    }
    auto added =
        transaction.execute("INSERT INTO projects (id, root, added_at) VALUES ($1, $2, $3)",
                            {project.id, project.root, project.added_at});
    if (!added) return added;
    return transaction.append(subject_event(project.id, "project.added"));
  };
}

store::Work remove_project(std::string id) {
  return [id = std::move(id)](store::Transaction& transaction) -> Result<> {
    if (auto known = check_project(transaction, id); !known) return known;
    const auto play = transaction.query(kActivePlay, {scope_of(id), kPlay});
    if (!play) return std::unexpected(play.error());
    if (!play->empty()) return project_is_played(id, play->front()[0].text());
    auto removed = transaction.execute("DELETE FROM projects WHERE id = $1", {id});
    if (!removed) return removed;
    return transaction.append(subject_event(id, "project.removed"));
  };
}

}  // namespace drover::play
