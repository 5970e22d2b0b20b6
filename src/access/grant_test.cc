#include "access/grant.h"

#include <gtest/gtest.h>

namespace drover::access {
namespace {

using wire::Permission;

const RunId kParent = *RunId::parse("run_01m3250v1d7cgw7gr0thn80rab");
const RunId kOther = *RunId::parse("run_01m3250v1wb655bf1wjzrvxeqm");

Grant token(std::string scope, std::string can) {
  Token token;
  token.id = "tok_1";
  token.scope = std::move(scope);
  token.can = std::move(can);
  return grant_of(token);
}

// The owner may do everything, to every run.
TEST(Grant, LetsTheOwnerDoEverything) {
  const TargetRun run{kOther, "anywhere/at/all"};
  for (const Permission need : {Permission::anyone, Permission::read, Permission::run,
                                Permission::cancel, Permission::read_all, Permission::own}) {
    EXPECT_EQ(may(owner_grant(), need), Verdict::yes);
    EXPECT_EQ(may(owner_grant(), need, &run), Verdict::yes);
  }
  // So may a browser session of the owner.
  EXPECT_EQ(may(token("", "own"), Permission::own), Verdict::yes);
}

// A token may do what its rights name and nothing else, and never what only the owner may.
TEST(Grant, KeepsRightsApart) {
  for (const auto& [name, can] :
       {std::pair("read", Permission::read), std::pair("run", Permission::run),
        std::pair("cancel", Permission::cancel)}) {
    for (const Permission need : {Permission::read, Permission::run, Permission::cancel}) {
      EXPECT_EQ(may(token("", name), need), need == can ? Verdict::yes : Verdict::no) << name;
    }
    EXPECT_EQ(may(token("", name), Permission::own), Verdict::no) << name;
    EXPECT_EQ(may(token("", name), Permission::anyone), Verdict::yes) << name;
  }
}

// Only a caller who may read every scope may read totals over all runs.
TEST(Grant, LimitsTotalsToReadersOfEverything) {
  EXPECT_EQ(may(token("", "read"), Permission::read_all), Verdict::yes);
  EXPECT_EQ(may(token("", "read,run"), Permission::read_all), Verdict::yes);
  EXPECT_EQ(may(token("", "run,cancel"), Permission::read_all), Verdict::no);
  EXPECT_EQ(may(token("app", "read"), Permission::read_all), Verdict::no);
  EXPECT_EQ(may(grant_of_run(kParent, "default"), Permission::read_all), Verdict::no);
}

// Invalid rights in the store allow nothing.
TEST(Grant, InvalidRightsAllowNothing) {
  for (const char* can : {"", "everything", "read,", "own,read", "OWN", "read run"}) {
    for (const Permission need : {Permission::run, Permission::cancel, Permission::own}) {
      EXPECT_EQ(may(token("", can), need), Verdict::no) << can;
    }
  }
}

// A scope is a path: a sibling is invisible, even if its name begins the same way.
TEST(Grant, CoversAScopeAndItsDescendants) {
  const Grant grant = token("app", "read");
  for (const char* seen : {"app", "app/reports", "app/a/b"}) {
    const TargetRun run{kOther, seen};
    EXPECT_EQ(may(grant, Permission::read, &run), Verdict::yes) << seen;
    EXPECT_EQ(may(grant, Permission::cancel, &run), Verdict::no) << seen;
  }
  for (const char* unseen : {"", "ap", "apps", "default", "default/app", "app-2/x"}) {
    const TargetRun run{kOther, unseen};
    EXPECT_EQ(may(grant, Permission::read, &run), Verdict::unseen) << unseen;
    // The refusal does not reveal whether the run exists.
    EXPECT_EQ(may(grant, Permission::cancel, &run), Verdict::no) << unseen;
  }
}

// R15: a run's token reaches the run and the runs that it started, not its siblings, parents or
// others.
TEST(Grant, OfARunCoversTheRunsItStarted) {
  const Grant grant = grant_of_run(kParent, "default");
  const std::string beneath = "default/" + kParent.str();
  EXPECT_TRUE(reaches(grant, {kParent, "default"}));
  EXPECT_TRUE(reaches(grant, {kOther, beneath}));
  EXPECT_TRUE(reaches(grant, {kOther, beneath + "/" + kOther.str()}));
  EXPECT_FALSE(reaches(grant, {kOther, "default"}));
  EXPECT_FALSE(reaches(grant, {kOther, "default/" + kOther.str()}));
  EXPECT_FALSE(reaches(grant, {kOther, "other/" + kParent.str()}));
  EXPECT_EQ(may(grant, Permission::own), Verdict::no);
}

// A query for a scope is narrowed to the part that the caller may see.
TEST(Grant, NarrowsAQueriedScope) {
  EXPECT_EQ(narrowed(owner_grant(), ""), "");
  EXPECT_EQ(narrowed(owner_grant(), "app"), "app");
  const Grant grant = token("app/reports", "read");
  EXPECT_EQ(narrowed(grant, ""), "app/reports");
  EXPECT_EQ(narrowed(grant, "app"), "app/reports");
  EXPECT_EQ(narrowed(grant, "app/reports/daily"), "app/reports/daily");
  EXPECT_EQ(narrowed(grant, "app/other"), std::nullopt);
  EXPECT_EQ(narrowed(token("", "read"), ""), "");
  EXPECT_EQ(narrowed(token("", "read"), "app"), "app");
}

// A new run must be within a token's scope. A run that another run starts goes below that run.
TEST(Grant, ChoosesTheScopeOfANewRun) {
  EXPECT_EQ(*scope_for(owner_grant(), ""), "default");
  EXPECT_EQ(*scope_for(owner_grant(), "app"), "app");
  EXPECT_EQ(*scope_for(owner_grant(), "apple/x"), "apple/x");
  // Nobody can claim to be an app, a trigger …: its scope is for its own token.
  for (const char* scope : {"app/x", "app/x/y", "trigger/x", "project/x", "session/x", "batch/x"}) {
    EXPECT_EQ(scope_for(owner_grant(), scope).error().reason, "scope_reserved");
    EXPECT_EQ(scope_for(token("", "run"), scope).error().reason, "scope_reserved");
  }
  EXPECT_EQ(*scope_for(token("app/x", "run"), "app/x/y"), "app/x/y");
  EXPECT_EQ(*scope_for(token("app", "run"), ""), "app");
  EXPECT_EQ(*scope_for(token("app", "run"), "app/x"), "app/x");
  EXPECT_EQ(scope_for(token("app", "run"), "other").error().reason, "forbidden");
  EXPECT_EQ(*scope_for(token("", "run"), ""), "default");
  const Grant run = grant_of_run(kParent, "default");
  const std::string beneath = "default/" + kParent.str();
  EXPECT_EQ(*scope_for(run, ""), beneath);
  EXPECT_EQ(*scope_for(run, "nightly"), beneath + "/nightly");
  EXPECT_EQ(*scope_for(run, beneath + "/x"), beneath + "/x");
}

// The nesting depth of runs is limited, and the error names the limit.
TEST(Grant, LimitsNesting) {
  std::string scope = "default";
  int depth = 0;
  while (true) {
    auto next = scope_for(grant_of_run(kParent, scope), "");
    if (!next) {
      EXPECT_EQ(next.error().reason, "nested_too_deep");
      break;
    }
    scope = *next;
    ++depth;
  }
  EXPECT_EQ(depth, 8);
}

// Rights are parsed in any order and printed in one.
TEST(Grant, RightsHaveOneTextForm) {
  EXPECT_EQ(text_of(*parse_rights("cancel,read")), "read,cancel");
  for (const char* bad : {"", "own", "read,,run", "write", "read;run"}) {
    EXPECT_EQ(parse_rights(bad).error().param, "can") << bad;
  }
}

}  // namespace
}  // namespace drover::access
