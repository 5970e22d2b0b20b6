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
TEST(Grant, TheOwner) {
  const Subject run{kOther, "anywhere/at/all"};
  for (const Permission need : {Permission::anyone, Permission::read, Permission::run,
                                Permission::cancel, Permission::read_all, Permission::own}) {
    EXPECT_EQ(may(owner_grant(), need), Verdict::yes);
    EXPECT_EQ(may(owner_grant(), need, &run), Verdict::yes);
  }
  // So may a session of the owner's.
  EXPECT_EQ(may(token("", "own"), Permission::own), Verdict::yes);
}

// A token may do what it names and nothing else; never what is the owner's alone.
TEST(Grant, EveryRightIsItsOwn) {
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

// What is told of all runs together is for who may read them all.
TEST(Grant, ReadingEverything) {
  EXPECT_EQ(may(token("", "read"), Permission::read_all), Verdict::yes);
  EXPECT_EQ(may(token("", "read,run"), Permission::read_all), Verdict::yes);
  EXPECT_EQ(may(token("", "run,cancel"), Permission::read_all), Verdict::no);
  EXPECT_EQ(may(token("app", "read"), Permission::read_all), Verdict::no);
  EXPECT_EQ(may(grant_of_run(kParent, "default"), Permission::read_all), Verdict::no);
}

// What stands in the store and makes no sense allows nothing.
TEST(Grant, WhatCannotBeReadAllowsNothing) {
  for (const char* can : {"", "everything", "read,", "own,read", "OWN", "read run"}) {
    for (const Permission need : {Permission::run, Permission::cancel, Permission::own}) {
      EXPECT_EQ(may(token("", can), need), Verdict::no) << can;
    }
  }
}

// A scope is a path: what lies beside it is not seen, however alike its name.
TEST(Grant, AScopeAndWhatIsBelow) {
  const Grant grant = token("app", "read");
  for (const char* seen : {"app", "app/reports", "app/a/b"}) {
    const Subject run{kOther, seen};
    EXPECT_EQ(may(grant, Permission::read, &run), Verdict::yes) << seen;
    EXPECT_EQ(may(grant, Permission::cancel, &run), Verdict::no) << seen;
  }
  for (const char* unseen : {"", "ap", "apps", "default", "default/app", "app-2/x"}) {
    const Subject run{kOther, unseen};
    EXPECT_EQ(may(grant, Permission::read, &run), Verdict::unseen) << unseen;
    // Whether there is such a run is not told by the way of the refusal.
    EXPECT_EQ(may(grant, Permission::cancel, &run), Verdict::no) << unseen;
  }
}

// R15: a run's token reaches itself and what it started, not its siblings, parents or others.
TEST(Grant, ARunAndWhatItStarted) {
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

// A question about a scope is answered for the part of it that is reached.
TEST(Grant, NarrowsWhatIsAskedFor) {
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

// Where a run goes: within a token's scope, or not at all; below the run that asks for it.
TEST(Grant, PlacesRuns) {
  EXPECT_EQ(*scope_for(owner_grant(), ""), "default");
  EXPECT_EQ(*scope_for(owner_grant(), "app"), "app");
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

// Runs within runs end somewhere, with a word that says where.
TEST(Grant, NestsOnlySoDeep) {
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

// Rights are named in any order, and told in one.
TEST(Grant, RightsAsText) {
  EXPECT_EQ(text_of(*parse_rights("cancel,read")), "read,cancel");
  for (const char* bad : {"", "own", "read,,run", "write", "read;run"}) {
    EXPECT_EQ(parse_rights(bad).error().param, "can") << bad;
  }
}

}  // namespace
}  // namespace drover::access
