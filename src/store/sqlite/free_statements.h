// Free statements are those whose text comes from a module above the store. They are prepared at
// their first use and cached by their text. The texts are constants of the code, so their number is
// bounded.
//
// Used by one thread at a time, always with the same database.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "store/sqlite/database.h"
#include "store/transaction.h"

namespace drover::store::sqlite {

class FreeStatements {
 public:
  // `values` are bound to $1, $2 …
  Result<Table> ask(Database& database, std::string_view sql, const Values& values);

 private:
  std::unordered_map<std::string, Statement> prepared_;
};

}  // namespace drover::store::sqlite
