// The stores that must pass the contract: see store_contract.h.
#include "store/store_contract.h"

#include "testing/kinds.h"
#include "testing/store.h"

namespace drover::store {
namespace {

std::shared_ptr<Store> open_sqlite(const Clock& clock, size_t queued_max) {
  sqlite::Options options = testing::with_tours();
  options.queued_max = queued_max;
  return std::make_shared<testing::TestStore>(clock, options);
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract, ::testing::Values(StoreKind{"sqlite", open_sqlite}),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace drover::store
