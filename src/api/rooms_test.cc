#include "api/rooms.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace drover::api {
namespace {

// A room finds the object that it added, and no other. A missing object is reported as a bug.
TEST(Rooms, AreFoundByTheirType) {
  struct One {
  } one;
  struct Other {
  } other;
  Rooms rooms;
  rooms.add(one);
  EXPECT_EQ(&rooms.get<One>(), &one);
  EXPECT_THROW(rooms.get<Other>(), std::out_of_range);
  rooms.add(other);
  EXPECT_EQ(&rooms.get<Other>(), &other);
  EXPECT_EQ(&rooms.get<One>(), &one);
}

}  // namespace
}  // namespace drover::api
