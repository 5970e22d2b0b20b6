#include "access/quota.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"

namespace drover::access {
namespace {

using store::must;
using store::reason_of;
using store::write_to;

Grant token_of(const std::string& scope) {
  return {.is_owner = false,
          .rights = *parse_rights("read,run"),
          .scope = scope,
          .token_id = "tok_123456789abc"};
}

class QuotaTest : public ::testing::Test {
 protected:
  // Submits a run as this caller, as the dispatcher does.
  Result<store::Written> submit(const Grant& grant, const std::string& scope,
                                const std::string& lane = "default", const std::string& key = "") {
    run::Record r;
    r.id = ids_.next();
    r.kind = run::kCommand;
    r.scope = scope;
    r.lane = lane;
    const run::Fact fact = run::Submitted{r, key, ""};
    store::Work check = quota_check(grant, {.lane = lane, .scope = scope, .key = key});
    if (!check) return write_to(store_, fact);
    return write_to(store_, store::Work([&](store::Transaction& transaction) -> Result<> {
                      if (auto ok = check(transaction); !ok) return ok;
                      const auto written = transaction.record(fact);
                      return written ? Result<>{} : std::unexpected(written.error());
                    }));
  }

  testing::ManualClock clock_;
  IdMaker ids_{clock_};
  testing::TestStore store_{clock_, {.rooms = {kTokenTables}}};
};

// Queued and active runs are counted in the scope of the caller and below it, whichever token
// started them. Other scopes have quotas of their own, the owner has none, and a finished run makes
// room.
TEST_F(QuotaTest, LimitsUnfinishedRuns) {
  const Grant app = token_of("app");
  const RunId first = must(submit(app, "app", "default", "key")).record.id;
  for (std::int64_t i = 1; i < limits::kQuotaRunsMax; ++i) {
    must(submit(owner_grant(), i % 2 == 0 ? "app" : "app/reports"));
  }
  const auto refused = submit(app, "app/reports");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "quota_exceeded");
  EXPECT_EQ(refused.error().param, "runs");
  EXPECT_EQ(reason_of(submit(token_of("app/reports"), "app/reports")), "");
  EXPECT_EQ(reason_of(submit(token_of("apple"), "apple")), "");
  EXPECT_EQ(reason_of(submit(token_of(""), "app")), "");
  EXPECT_EQ(reason_of(submit(owner_grant(), "app")), "");
  EXPECT_EQ(must(submit(app, "app", "default", "key")).record.id, first) << "a repeated request";
  for (const run::Record& run : must(store_.list({.scope = "app", .limit = 10}))) {
    must(write_to(store_, run::Fact(run::CancelRequested{run.id})));
  }
  const auto active = must(store_.list({.active_only = true, .scope = "app", .limit = 2'000}));
  EXPECT_LT(active.size(), static_cast<size_t>(limits::kQuotaRunsMax));
  EXPECT_EQ(reason_of(submit(app, "app")), "");
}

// Lanes that callers of a scope create are counted until they are removed; existing ones are free.
TEST_F(QuotaTest, LimitsNewLanes) {
  const Grant app = token_of("app");
  const size_t before = must(store_.lanes()).size();
  for (int i = 0; i < limits::kQuotaLanesMax; ++i) {
    must(submit(app, "app", "lane" + std::to_string(i)));
    must(submit(app, "app", "lane" + std::to_string(i)));
  }
  const auto refused = submit(app, "app", "another");
  ASSERT_EQ(reason_of(refused), "quota_exceeded");
  EXPECT_EQ(refused.error().param, "lane");
  EXPECT_EQ(must(store_.lanes()).size(), before + limits::kQuotaLanesMax);
  must(submit(owner_grant(), "app", "another"));
  must(submit(app, "app", "another"));
  must(submit(token_of("other"), "other", "its own"));
}

// The output of runs is counted as long as they are kept.
TEST_F(QuotaTest, LimitsKeptBytes) {
  const Grant app = token_of("app");
  must(submit(app, "app/reports"));
  store_.damage("UPDATE runs SET stdout_bytes = " + std::to_string(limits::kQuotaBytesMax));
  store_.reopen();
  const auto refused = submit(app, "app");
  ASSERT_EQ(reason_of(refused), "quota_exceeded");
  EXPECT_EQ(refused.error().param, "bytes");
  must(submit(token_of("other"), "other"));
}

// Only the owner can put a run before the others.
TEST_F(QuotaTest, LimitsPriority) {
  EXPECT_TRUE(check_priority(owner_grant(), limits::kPriorityMax));
  EXPECT_TRUE(check_priority(token_of(""), -1));
  EXPECT_TRUE(check_priority(token_of(""), limits::kQuotaPriorityMax));
  EXPECT_EQ(reason_of(check_priority(token_of(""), limits::kQuotaPriorityMax + 1)),
            "quota_exceeded");
}

// Runs within runs share the quota of the outermost one: none gets more by nesting.
TEST_F(QuotaTest, RunsWithinRunsShareOneQuota) {
  const RunId outer = ids_.next();
  const RunId inner = ids_.next();
  const std::string below = "app/" + outer.str();
  EXPECT_EQ(quota_scope(grant_of_run(outer, "app")), below);
  EXPECT_EQ(quota_scope(grant_of_run(inner, below)), below);
  EXPECT_EQ(quota_scope(grant_of_run(inner, below + "/deeper")), below);
  EXPECT_EQ(quota_scope(token_of("app/x")), "app/x");
  // The same for streams and workers.
  EXPECT_EQ(share_of(grant_of_run(inner, below)), share_of(grant_of_run(outer, "app")));
  EXPECT_NE(share_of(grant_of_run(inner, "app")), share_of(grant_of_run(outer, "app")));
  EXPECT_EQ(share_of(token_of("app")), "token/tok_123456789abc");
  EXPECT_EQ(share_of(owner_grant()), "");
  EXPECT_EQ(share_of({.is_owner = false}), "stranger");
}

// Counting reads the indexes of quotas alone, not the runs that were kept.
TEST_F(QuotaTest, CountsByIndex) {
  for (const auto& [condition, index] :
       {std::pair("state < 3 AND scope = $1", "runs_unfinished_scope"),
        std::pair("state < 3 AND scope > $1 AND scope < 'z'", "runs_unfinished_scope"),
        std::pair("stdout_bytes + stderr_bytes >= 65536 AND scope = $1", "runs_output_scope")}) {
    const auto plan = must(store_.query(
        std::string("EXPLAIN QUERY PLAN SELECT 1 FROM runs WHERE ") + condition, {"app"}));
    ASSERT_FALSE(plan.empty());
    EXPECT_NE(plan.front()[3].text().find(index), std::string::npos) << plan.front()[3].text();
  }
  static_assert(limits::kQuotaBytesSeenMin == 65'536, "the index of token.cc has this number");
}

}  // namespace
}  // namespace drover::access
