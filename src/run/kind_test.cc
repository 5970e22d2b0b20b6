#include "run/kind.h"

#include <gtest/gtest.h>

#include <array>

namespace drover::run {
namespace {

constexpr auto kRoom = std::to_array<Kind>({
    {.name = "leg", .lane = "tours"},
    {.name = "tour", .composite = true, .lane = "tours"},
});
constexpr auto kOther = std::to_array<Kind>({{.name = "probe"}});

Kinds kinds_of_two_rooms() {
  const std::array<std::span<const Kind>, 2> rooms{kRoom, kOther};
  return Kinds(rooms);
}

// A daemon knows commands and the kinds of every room, and no other.
TEST(Kinds, AreCommandsAndThoseOfTheRooms) {
  const Kinds kinds = kinds_of_two_rooms();
  EXPECT_EQ(kinds.names(), (std::vector<std::string>{"command", "leg", "tour", "probe"}));
  EXPECT_TRUE(kinds.knows("probe"));
  EXPECT_FALSE(kinds.knows("stranger"));
  EXPECT_EQ(kinds.find(""), nullptr);
  EXPECT_EQ(only_commands().names(), std::vector<std::string>{"command"});
}

// Only a registered composite counts: a run of an unknown kind is not one.
TEST(Kinds, KnowWhichAreComposites) {
  const Kinds kinds = kinds_of_two_rooms();
  EXPECT_TRUE(kinds.is_composite("tour"));
  EXPECT_FALSE(kinds.is_composite("leg"));
  EXPECT_FALSE(kinds.is_composite("command"));
  EXPECT_FALSE(only_commands().is_composite("tour"));
}

// A lane belongs to the composite kind that names it, else to the first kind that does; the others
// are open to all, and so is the empty lane of composites.
TEST(Kinds, ReserveLanes) {
  const Kinds kinds = kinds_of_two_rooms();
  ASSERT_NE(kinds.owner_of("tours"), nullptr);
  EXPECT_EQ(kinds.owner_of("tours")->name, "tour");
  EXPECT_EQ(kinds.owner_of("default"), nullptr);
  EXPECT_EQ(kinds.owner_of(""), nullptr);
}

}  // namespace
}  // namespace drover::run
