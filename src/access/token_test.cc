// Tokens are stored until they have been invalid for long.
#include "access/token.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"

namespace drover::access {
namespace {

using store::must;
using store::reason_of;

Token token(const std::string& id, WallMs created_at, WallMs expires_at) {
  return {.id = id,
          .hash = "hash of " + id,
          .label = "for " + id,
          .scope = "world/chat",
          .can = "read,run",
          .created_at = created_at,
          .expires_at = expires_at};
}

class Tokens : public ::testing::Test {
 protected:
  Result<store::Written> write(store::Write write) {
    return store::write_to(store_, std::move(write));
  }

  testing::ManualClock clock_;
  testing::TestStore store_{clock_, {.rooms = {kTokenTables}}};
};

// Tokens are read back as they were written, oldest first.
TEST_F(Tokens, AreReadBackOldestFirst) {
  must(write(issue_token(token("b", 20, 900), 0)));
  must(write(issue_token(token("a", 10, 800), 0)));
  EXPECT_EQ(must(read_tokens(store_)), (std::vector{token("a", 10, 800), token("b", 20, 900)}));
  EXPECT_EQ(reason_of(write(issue_token(token("a", 30, 900), 0))), "already_recorded");
  store_.reopen();
  EXPECT_EQ(must(read_tokens(store_)).size(), 2u);
}

// A token is revoked once, and the first time counts. Revoking an unknown token is not_found.
TEST_F(Tokens, AreRevokedOnce) {
  must(write(issue_token(token("a", 10, 800), 0)));
  must(write(revoke_token("a", 50)));
  EXPECT_TRUE(must(write(revoke_token("a", 60))).events.empty());
  EXPECT_EQ(must(read_tokens(store_)).at(0).revoked_at, 50);
  EXPECT_EQ(reason_of(write(revoke_token("b", 60))), "not_found");
}

// Issuing a token removes tokens that became invalid long ago, and keeps valid ones.
TEST_F(Tokens, AreRemovedLongAfterTheyExpire) {
  must(write(issue_token(token("expired", 1, 100), 0)));
  must(write(issue_token(token("revoked", 2, 900), 0)));
  must(write(issue_token(token("living", 3, 900), 0)));
  must(write(revoke_token("revoked", 50)));
  must(write(issue_token(token("new", 4, 900), 200)));
  EXPECT_EQ(must(read_tokens(store_)),
            (std::vector{token("living", 3, 900), token("new", 4, 900)}));
}

// Each change writes an event for the owner, which contains no secret.
TEST_F(Tokens, WriteEventsWithoutSecrets) {
  must(write(issue_token(token("a", 10, 800), 0)));
  must(write(revoke_token("a", 50)));
  const auto events = must(store_.events({.about = std::string(kTokenSort)}));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, "token.issued");
  EXPECT_EQ(events[1].type, "token.revoked");
  for (const run::Event& event : events) {
    EXPECT_EQ(event.subject(), "token/a");
    EXPECT_EQ(event.scope, "");
    EXPECT_EQ(event.data.find("hash of"), std::string::npos);
  }
  EXPECT_TRUE(must(store_.events({.of_owner = false})).empty());
}

// A table from before there were rooms is still used.
TEST(OldTokens, AreStillRead) {
  const testing::TestDirectory directory;
  const testing::ManualClock clock;
  const std::string path = directory.file("drover.db");
  std::filesystem::copy_file(std::string(DROVER_OLD) + "/schema-6.db", path);
  const auto store = must(store::SqliteStore::open(path, clock, {.rooms = {kTokenTables}}));
  const auto tokens = must(read_tokens(*store));
  ASSERT_EQ(tokens.size(), 1u);
  EXPECT_EQ(tokens[0].scope, "world");
  EXPECT_EQ(tokens[0].can, "read,run");
  EXPECT_EQ(tokens[0].revoked_at, 1'790'000'000'090);
}

}  // namespace
}  // namespace drover::access
