// OutputWatch notifies subscribers when a run's output grows, and watches no directory without
// subscribers.
#include "queries/output_watch.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <fstream>

#include "testing/directory.h"
#include "testing/until.h"

namespace drover::queries {
namespace {

// Two subscribers of one directory are both notified of a printed byte. A subscriber that has left
// is not.
TEST(OutputWatch, NotifiesItsSubscribers) {
  asio::io_context loop{1};
  OutputWatch watch(loop.get_executor());
  const testing::TestDirectory directory;
  const std::string path = directory.file("run");  // Does not exist yet: the watch creates it.
  int first = 0;
  int second = 0;
  std::optional<OutputWatch::Subscription> one(std::in_place, watch, path, [&] { ++first; });
  std::optional<OutputWatch::Subscription> two(std::in_place, watch, path, [&] { ++second; });
  ASSERT_TRUE(one->watching() && two->watching());
  EXPECT_EQ(watch.directories(), 1U);
  const auto run_until = [&](auto condition) { EXPECT_TRUE(testing::run_until(loop, condition)); };
  std::ofstream(path + "/output") << "a";
  run_until([&] { return first > 0 && second > 0; });
  one.reset();
  const int before = second;
  const int left = first;
  std::ofstream(path + "/output", std::ios::app) << "b";
  run_until([&] { return second > before; });
  EXPECT_EQ(first, left);
  two.reset();
  EXPECT_EQ(watch.directories(), 0U);
}

}  // namespace
}  // namespace drover::queries
