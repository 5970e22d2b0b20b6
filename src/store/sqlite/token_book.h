// The token book is the table of tokens as it is written. Lives on the writer's thread.
#pragma once

#include "store/sqlite/database.h"
#include "store/store.h"

namespace drover::store::sqlite {

class TokenBook {
 public:
  Result<> prepare(Database& database);

  // The inner result is the answer to whoever asked; the outer one, that the disk gave way.
  Result<Result<Written>> write(const TokenIssued& wish);
  Result<Result<Written>> write(const TokenRevoked& wish);

  // Whether what was wished for is there. Asked after a commit whose fate is unknown.
  Result<bool> landed(const TokenIssued& wish);
  Result<bool> landed(const TokenRevoked& wish);

 private:
  // When it was revoked; nothing: there is none.
  Result<std::optional<WallMs>> revoked_at(const std::string& id);

  Statement add_, find_, revoke_, forget_;
};

}  // namespace drover::store::sqlite
