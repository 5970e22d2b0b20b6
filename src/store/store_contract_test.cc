// Who takes the contract: see store_contract.h.
#include "store/store_contract.h"

#include "store/sqlite/sqlite_store.h"
#include "testing/folder.h"
#include "testing/store.h"

namespace drover::store {
namespace {

std::shared_ptr<Store> open_memory(const Clock& clock, size_t queued_max) {
  return std::make_shared<testing::MemoryStore>(clock, testing::Telling::own_thread, queued_max);
}

struct SqliteInFolder {
  testing::TestFolder folder{testing::FolderPlace::memory};
  std::unique_ptr<SqliteStore> store;
};

std::shared_ptr<Store> open_sqlite(const Clock& clock, size_t queued_max) {
  auto whole = std::make_shared<SqliteInFolder>();
  sqlite::Options options;
  options.queued_max = queued_max;
  whole->store = must(SqliteStore::open(whole->folder.file("drover.db"), clock, options));
  return {whole, whole->store.get()};
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract,
                         ::testing::Values(StoreKind{"memory", open_memory},
                                           StoreKind{"sqlite", open_sqlite}),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace drover::store
