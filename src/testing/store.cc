#include "testing/store.h"

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "store/sqlite/database.h"

namespace drover::testing {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().reason + ": " + result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace

TestStore::TestStore(const Clock& clock, store::sqlite::Options options)
    : clock_(clock), options_(std::move(options)) {
  open();
}

void TestStore::open() {
  store_ = must(store::SqliteStore::open(file(), clock_, options_));
}

void TestStore::reopen() {
  store_.reset();
  open();
}

void TestStore::damage(const std::string& sql) {
  auto database =
      must(store::sqlite::Database::open(file(), {.keep_wal = true, .vfs = options_.vfs}));
  must(database.execute(sql));
}

}  // namespace drover::testing
