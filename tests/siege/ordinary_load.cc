// Many harmless runs of the owner at once.
#include <gtest/gtest.h>

#include <array>
#include <boost/json/array.hpp>
#include <vector>

#include "tests/siege/attack.h"

namespace drover::siege {
namespace {

constexpr int kRunsMax = 12;

void load(Target& target, tests::SeededRandom& random) {
  std::vector<std::string> ids;
  for (int left = 1 + random.below(kRunsMax); left > 0; --left) {
    ids.push_back(target.submit({"/bin/sh", "-c", "seq 1 1000; exit 6"}));
  }
  for (const std::string& id : ids) {
    const tests::DaemonAnswer record = target.ended(id);
    if (lacked_space(record)) continue;  // The other attacker has filled the disk.
    EXPECT_EQ(record.body.at("exit_code"), 6) << record.text;
  }
}

constexpr auto kAll = std::to_array<Attack>({{"ordinary load", load}});

}  // namespace

std::span<const Attack> ordinary_load() {
  return kAll;
}

}  // namespace drover::siege
