// Tokens are kept until they have been dead for long.
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

// A token is read as it was written, oldest first.
TEST_F(Tokens, AreKept) {
  must(write(issue_token(token("b", 20, 900), 0)));
  must(write(issue_token(token("a", 10, 800), 0)));
  EXPECT_EQ(must(read_tokens(store_)), (std::vector{token("a", 10, 800), token("b", 20, 900)}));
  EXPECT_EQ(reason_of(write(issue_token(token("a", 30, 900), 0))), "already_recorded");
  store_.reopen();
  EXPECT_EQ(must(read_tokens(store_)).size(), 2u);
}

// A token is revoked once, and the first time counts; one that is not there is not_found.
TEST_F(Tokens, AreRevoked) {
  must(write(issue_token(token("a", 10, 800), 0)));
  must(write(revoke_token("a", 50)));
  EXPECT_TRUE(must(write(revoke_token("a", 60))).events.empty());
  EXPECT_EQ(must(read_tokens(store_)).at(0).revoked_at, 50);
  EXPECT_EQ(reason_of(write(revoke_token("b", 60))), "not_found");
}

// Those that were over long ago go when another comes; the living stay.
TEST_F(Tokens, AreForgotten) {
  must(write(issue_token(token("expired", 1, 100), 0)));
  must(write(issue_token(token("revoked", 2, 900), 0)));
  must(write(issue_token(token("living", 3, 900), 0)));
  must(write(revoke_token("revoked", 50)));
  must(write(issue_token(token("new", 4, 900), 200)));
  EXPECT_EQ(must(read_tokens(store_)),
            (std::vector{token("living", 3, 900), token("new", 4, 900)}));
}

// The log tells of each, without anything that opens a door; it is the owner's to read.
TEST_F(Tokens, AreToldOf) {
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

// The table of databases from before there were rooms is this table.
TEST(OldTokens, AreFound) {
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
