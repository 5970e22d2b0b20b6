#include "tests/siege/holdings.h"

#include <gtest/gtest.h>

#include <iostream>

#include "testing/until.h"
#include "tests/hostile/attacked_flock.h"
#include "tests/siege/target.h"

namespace drover::siege {
namespace {

constexpr long kGrowthKbMax = 24'576;  // Caches, arenas of threads: measured 10 MB at most.

}  // namespace

Holdings holdings_of(pid_t daemon) {
  return {.descriptors = hostile::descriptors_of(daemon),
          .resident_kb = hostile::status_of(daemon, "VmRSS"),
          .names = hostile::name_descriptors(daemon)};
}

void expect_back(const Holdings& before, pid_t daemon, const std::function<void()>& ask) {
  const auto are_back = [&] {
    return hostile::descriptors_of(daemon) <= before.descriptors &&
           hostile::status_of(daemon, "VmRSS") <= before.resident_kb + kGrowthKbMax;
  };
  // Until the last connection is closed, and the keepers of a killed cradle have exited. The
  // values are compared below.
  (void)testing::becomes_true([&] {
    if (are_back()) return true;
    ask();
    pause_ms(10);
    return false;
  });
  const Holdings after = holdings_of(daemon);
  EXPECT_LE(after.descriptors, before.descriptors) << "descriptors are leaked:\n"
                                                   << after.names << "before the siege:\n"
                                                   << before.names;
  std::cout << "resident: " << before.resident_kb << " kB, then " << after.resident_kb << " kB\n";
  EXPECT_LE(after.resident_kb, before.resident_kb + kGrowthKbMax) << "kB of memory are leaked";
}

}  // namespace drover::siege
