// The contract of a Store, for tokens: kept until they have been dead for long.
#include "store/store_contract.h"

namespace drover::store {
namespace {

Token token(const std::string& id, WallMs created_at, WallMs expires_at) {
  return {.id = id,
          .hash = "hash of " + id,
          .label = "for " + id,
          .scope = "world/chat",
          .can = "read,run",
          .created_at = created_at,
          .expires_at = expires_at};
}

// A token is read as it was written, oldest first.
TEST_P(StoreContract, KeepsTokens) {
  must(write(TokenIssued{token("b", 20, 900), 0}));
  must(write(TokenIssued{token("a", 10, 800), 0}));
  EXPECT_EQ(must(store->tokens()), (std::vector{token("a", 10, 800), token("b", 20, 900)}));
  EXPECT_EQ(reason_of(write(TokenIssued{token("a", 30, 900), 0})), "already_recorded");
}

// A token is revoked once, and the first time counts; one that is not there is not_found.
TEST_P(StoreContract, RevokesTokens) {
  must(write(TokenIssued{token("a", 10, 800), 0}));
  must(write(TokenRevoked{"a", 50}));
  must(write(TokenRevoked{"a", 60}));
  EXPECT_EQ(must(store->tokens()).at(0).revoked_at, 50);
  EXPECT_EQ(reason_of(write(TokenRevoked{"b", 60})), "not_found");
}

// Those that were over long ago go when another comes; the living stay.
TEST_P(StoreContract, ForgetsDeadTokens) {
  must(write(TokenIssued{token("expired", 1, 100), 0}));
  must(write(TokenIssued{token("revoked", 2, 900), 0}));
  must(write(TokenIssued{token("living", 3, 900), 0}));
  must(write(TokenRevoked{"revoked", 50}));
  must(write(TokenIssued{token("new", 4, 900), 200}));
  EXPECT_EQ(must(store->tokens()), (std::vector{token("living", 3, 900), token("new", 4, 900)}));
}

}  // namespace
}  // namespace drover::store
