// The additions of a TestStore to its SqliteStore. The contract suite in store/ tests the rest
// through it.
#include "testing/store.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "store/store_contract.h"
#include "testing/clock.h"

namespace drover::testing {
namespace {

using store::must;

class TestStores : public ::testing::Test {
 protected:
  RunId submit(store::Store& store) {
    run::Record r;
    r.id = ids.next();
    r.kind = run::kCommand;
    r.lane = "default";
    r.name = "as written";
    return must(store::write_to(store, run::Fact(run::Submitted{r, "", ""}))).record.id;
  }

  ManualClock clock;
  IdMaker ids{clock};
};

// Two stores share nothing, and a store removes its directory when it is destroyed.
TEST_F(TestStores, HaveADirectoryOfTheirOwn) {
  std::string file;
  {
    TestStore one{clock};
    TestStore other{clock};
    file = one.file();
    submit(one);
    EXPECT_EQ(must(one.last_seq()), 2);
    EXPECT_EQ(must(other.last_seq()), 0);
    EXPECT_TRUE(std::filesystem::exists(file));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
}

// reopen() commits and answers the queued writes first; everything committed is still there.
TEST_F(TestStores, KeepEverythingWhenReopened) {
  TestStore store{clock};
  const RunId id = submit(store);
  bool told = false;
  store.write(run::Fact(run::Started{id, 1}), [&](const auto&) { told = true; });
  store.reopen();
  EXPECT_TRUE(told);
  EXPECT_EQ(must(store.find(id))->state, run::State::running);
  submit(store);
}

// After reopen() a damaged record is read as damaged, though it was cached before.
TEST_F(TestStores, ShowDamageWhenReopened) {
  TestStore store{clock};
  const RunId id = submit(store);
  store.damage("UPDATE runs SET name = 'damaged'");
  store.reopen();
  EXPECT_EQ(must(store.find(id))->name, "damaged");
}

}  // namespace
}  // namespace drover::testing
