// The names of memories, and who may use the memory of a name.
#include "inbox/memory_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inbox/limits.h"

namespace drover::inbox {
namespace {

// Names that lead elsewhere are not memories.
TEST(MemoryNameTest, NamesAreChecked) {
  for (const char* good : {"user", "app/tidy", "space/a.b-c_D9"}) {
    EXPECT_TRUE(MemoryName::parse(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("app"), std::string("app/"), std::string("app/.."),
        std::string("app/../user"), std::string("app/a/b"), std::string("/etc/passwd"),
        std::string("app/.hidden"), std::string("history/user"), std::string("user/x"),
        std::string("app/a b"), std::string("app/a\0b", 7), std::string("app/-x"),
        "app/" + std::string(kMemoryNameBytesMax + 1, 'a')}) {
    EXPECT_FALSE(MemoryName::parse(bad)) << bad;
  }
}

// A11: an app cannot reach the memory of another app; its runs read that of the user.
TEST(MemoryNameTest, BelongsToAScope) {
  const RunId run = RunId::earliest(1);
  const access::Grant tidy = access::grant_of_run(run, "app/tidy");
  const access::Grant plain = access::grant_of_run(run, "default");
  const access::Grant token{.is_owner = false, .scope = "app/tidy"};
  const access::Grant all{.is_owner = false};
  struct Case {
    const access::Grant& grant;
    std::string_view name;
    MemoryAccess access;
  };
  for (const Case& one : std::vector<Case>{{tidy, "app/tidy", MemoryAccess::write},
                                           {tidy, "app/tid", MemoryAccess::none},
                                           {tidy, "app/tidy2", MemoryAccess::none},
                                           {tidy, "space/tidy", MemoryAccess::none},
                                           {tidy, "user", MemoryAccess::read},
                                           {plain, "app/tidy", MemoryAccess::none},
                                           {plain, "user", MemoryAccess::none},
                                           {token, "app/tidy", MemoryAccess::write},
                                           {token, "user", MemoryAccess::none},
                                           {all, "user", MemoryAccess::write},
                                           {all, "space/x", MemoryAccess::write}}) {
    EXPECT_EQ(access_to(one.grant, *MemoryName::parse(one.name)), one.access)
        << one.grant.scope << " " << one.name;
  }
  EXPECT_EQ(access_to(access::owner_grant(), *MemoryName::parse("user")), MemoryAccess::write);
}

}  // namespace
}  // namespace drover::inbox
