#include "store/sqlite/project_book.h"

#include "run/kind.h"
#include "session/session.h"
#include "store/refusals.h"
#include "store/sqlite/questions.h"

namespace drover::store::sqlite {

Result<> ProjectBook::prepare(Database& database) {
  for (auto [statement, sql] :
       {std::pair(&add_, "INSERT INTO projects (id, root, added_at) VALUES (?1, ?2, ?3)"),
        std::pair(&find_, "SELECT id, root, added_at FROM projects WHERE id = ?1 OR root = ?2"),
        std::pair(&remove_, "DELETE FROM projects WHERE id = ?1"),
        std::pair(&find_play_, questions::kRival)}) {
    auto prepared = database.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<std::vector<Project>> ProjectBook::find(const std::string& id, const std::string& root) {
  std::vector<Project> found;
  auto asked = find_.each(
      [&](const Row& row) {
        found.push_back({.id = std::string(row.text(0)),
                         .root = std::string(row.text(1)),
                         .added_at = row.integer(2)});
      },
      id, root);
  if (!asked) return std::unexpected(asked.error());
  return found;
}

Result<Result<Written>> ProjectBook::write(const ProjectAdded& wish) {
  const Project& project = wish.project;
  auto known = find(project.id, project.root);
  if (!known) return std::unexpected(known.error());
  for (const Project& other : *known) {
    if (other.id == project.id && other.root == project.root) return Result<Written>(Written{});
    return Result<Written>(project_elsewhere(other.id, other.root));
  }
  auto added = add_.run(project.id, project.root, project.added_at);
  if (!added) return std::unexpected(added.error());
  return Result<Written>(Written{});
}

Result<Result<Written>> ProjectBook::write(const ProjectRemoved& wish) {
  auto known = find(wish.id, "");
  if (!known) return std::unexpected(known.error());
  if (known->empty()) return Result<Written>(no_such_project(wish.id));
  std::string play;
  auto asked = find_play_.each([&](const Row& row) { play = row.text(0); },
                               session::scope_of(wish.id), run::kPlay, "");
  if (!asked) return std::unexpected(asked.error());
  if (!play.empty()) return Result<Written>(project_is_played(wish.id, play));
  if (auto ok = remove_.run(wish.id); !ok) return std::unexpected(ok.error());
  return Result<Written>(Written{});
}

Result<bool> ProjectBook::knows(const std::string& id) {
  auto known = find(id, "");
  if (!known) return std::unexpected(known.error());
  return !known->empty();
}

Result<bool> ProjectBook::landed(const ProjectAdded& wish) {
  return knows(wish.project.id);
}

Result<bool> ProjectBook::landed(const ProjectRemoved& wish) {
  auto known = knows(wish.id);
  if (!known) return std::unexpected(known.error());
  return !*known;
}

}  // namespace drover::store::sqlite
