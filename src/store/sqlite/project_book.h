// The project book is the table of projects as it is written. Lives on the writer's thread.
#pragma once

#include "store/sqlite/database.h"
#include "store/store.h"

namespace drover::store::sqlite {

class ProjectBook {
 public:
  Result<> prepare(Database& database);

  // The inner result is the answer to whoever asked; the outer one, that the disk gave way.
  Result<Result<Written>> write(const ProjectAdded& wish);
  Result<Result<Written>> write(const ProjectRemoved& wish);

  Result<bool> knows(const std::string& id);

  // Whether what was wished for is there. Asked after a commit whose fate is unknown.
  Result<bool> landed(const ProjectAdded& wish);
  Result<bool> landed(const ProjectRemoved& wish);

 private:
  // Those that have this id, or stand there.
  Result<std::vector<Project>> find(const std::string& id, const std::string& root);

  Statement add_, find_, remove_, find_play_;
};

}  // namespace drover::store::sqlite
