#include "api/http/places.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace drover::api {
namespace {

// Whatever the limit, strangers and clients together leave a quarter to the owner, and a stranger
// behind TLS has a place.
TEST(Budgets, LeaveTheOwnerAQuarter) {
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{20}, std::uint64_t{64},
                                    std::uint64_t{1'024}, std::uint64_t{1} << 20, UINT64_MAX}) {
    const Budget budget = budget_for(limit);
    EXPECT_LE(budget.clients + budget.strangers, budget.all - budget.all / 4) << limit;
    EXPECT_GE(budget.strangers, kTlsDescriptors) << limit;
    EXPECT_GE(budget.handshakes, kTlsDescriptors) << limit;
    EXPECT_LE(budget.handshakes, budget.strangers) << limit;
    EXPECT_LE(budget.strangers, limits::kStrangersMax);
    EXPECT_LE(budget.all, limits::kConnectionsMax);
    if (limit >= 64) EXPECT_LE(budget.all, limit / 2);
  }
}

// Strangers can take their own places only, and a stranger that authenticates becomes a client.
TEST(PlacesTest, KeepHoldersApart) {
  const auto places = std::make_shared<Places>();
  const Budget budget{.all = 16, .clients = 2, .strangers = 4, .handshakes = 2};
  std::vector<std::unique_ptr<Place>> taken;
  while (places->has_room(Holder::stranger, 1, budget)) {
    taken.push_back(places->take(Holder::stranger, 1, false));
  }
  EXPECT_EQ(places->used(Holder::stranger), 4U);
  EXPECT_TRUE(places->has_room(Holder::owner, 1, budget));
  EXPECT_TRUE(taken[0]->become_client(budget));
  EXPECT_TRUE(taken[0]->become_client(budget));
  EXPECT_TRUE(taken[1]->become_client(budget));
  EXPECT_FALSE(taken[2]->become_client(budget));
  EXPECT_EQ(places->used(Holder::client), 2U);
  EXPECT_TRUE(places->has_room(Holder::stranger, 2, budget));
  taken.clear();
  EXPECT_EQ(places->used(Holder::client) + places->used(Holder::stranger), 0U);
}

// Strangers that do not finish their handshake leave places to those that do.
TEST(PlacesTest, CountHandshakes) {
  const auto places = std::make_shared<Places>();
  const Budget budget{.all = 64, .clients = 32, .strangers = 12, .handshakes = 6};
  const auto one = places->take(Holder::stranger, kTlsDescriptors, true);
  const auto other = places->take(Holder::stranger, kTlsDescriptors, true);
  EXPECT_FALSE(places->has_room_for_handshake(kTlsDescriptors, budget));
  EXPECT_TRUE(places->has_room(Holder::stranger, kTlsDescriptors, budget));
  one->finish_handshake();
  EXPECT_TRUE(places->has_room_for_handshake(kTlsDescriptors, budget));
  other->give_back();
  other->give_back();
  EXPECT_EQ(places->used(Holder::stranger), kTlsDescriptors);
}

}  // namespace
}  // namespace drover::api
