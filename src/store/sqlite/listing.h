// A listing is a Query as SQL: the index to walk and the conditions to check. Pure, so that a test
// can ask SQLite for the plan of every listing that a command shows first.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "store/store.h"

namespace drover::store::sqlite {

struct Listing {
  std::string sql;
  std::vector<std::variant<std::int64_t, std::string>> values;  // For ?1, ?2 …
};

Listing listing_of(const Query& query);

}  // namespace drover::store::sqlite
