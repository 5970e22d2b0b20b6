// The calendar against the cron oracle (cron_oracle_fixture.h).
//
// DROVER_CRON_SAMPLES is the number of samples, DROVER_CRON_SEED the first seed, which is otherwise
// another one each day; a failure prints its own. `./dev torture --cron` goes through everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "base/fnv.h"
#include "triggers/time/calendar.h"
#include "triggers/time/cron_oracle_fixture.h"

namespace drover::triggers {
namespace {

std::int64_t setting(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

std::uint64_t first_seed() {
  const std::int64_t today = std::time(nullptr) / kDay;
  return static_cast<std::uint64_t>(setting("DROVER_CRON_SEED", today * 1'000'000));
}

// A random cron around one instant of a zone, which is set for the C library.
void check_around(Sample& sample, const std::string& name, const Zone& zone, std::int64_t change,
                  const std::string& repeat) {
  const RandomCron random = sample.cron(LibcZone::local(change));
  const std::int64_t around = random.has_seconds ? kHour : 30 * kHour;
  const std::int64_t from = change - around - sample.pick(0, 60) * 60;
  const std::int64_t to = change + around + sample.pick(0, 60) * 60;
  const std::vector<WallMs> expected = by_oracle(random, from, to);

  const auto cron = parse_cron(random.text);
  ASSERT_TRUE(cron) << random.text << ": " << cron.error().message;
  const std::string what =
      repeat + ": \"" + random.text + "\" in " + name + " around " + rfc3339(change * 1'000);
  std::vector<WallMs> found;
  for (auto at = next_time(*cron, zone, from * 1'000 - 1); at && *at <= to * 1'000;
       at = next_time(*cron, zone, *at)) {
    ASSERT_TRUE(found.empty() || *at > found.back()) << what;
    found.push_back(*at);
  }
  ASSERT_EQ(found, expected) << what;
  // The search may also begin at any instant around the change, and exactly at it.
  for (int i = 0; i < 10; ++i) {
    const WallMs after = change * 1'000 - 1 + (i == 0 ? 0 : sample.pick(-3'600'000, 3'600'000));
    const auto next = std::ranges::upper_bound(expected, after);
    if (next == expected.end()) continue;
    ASSERT_EQ(next_time(*cron, zone, after), *next) << what << " after " << rfc3339(after);
  }
  const WallMs cut = from * 1'000 + (to - from) * sample.pick(0, 1'000);
  const auto first_part = std::ranges::count_if(found, [&](WallMs at) { return at <= cut; });
  ASSERT_EQ(count_times(*cron, zone, from * 1'000, cut), first_part) << what;
  ASSERT_EQ(count_times(*cron, zone, cut + 1, to * 1'000), std::ssize(found) - first_part) << what;
}

void check_sample(std::uint64_t seed, const std::vector<std::string>& names) {
  Sample sample(seed);
  const std::string& name =
      names[static_cast<size_t>(sample.pick(0, static_cast<int>(names.size()) - 1))];
  const LibcZone libc(name);
  const std::int64_t change = sample.change_after(sample.instant_of_year(sample.pick(1990, 2049)));
  ASSERT_EQ(change % 60, 0) << "the oracle walks by minutes";
  check_around(sample, name, find_zone(name).value(), change,
               "DROVER_CRON_SEED=" + std::to_string(seed));
}

// Around changes of all zones from 1990 to 2050, the calendar runs each cron when the oracle does,
// and counts as many times.
TEST(CalendarOracle, AgreesAroundEveryChange) {
  const std::vector<std::string> names = zone_names();
  ASSERT_FALSE(names.empty());
  const std::uint64_t seed = first_seed();
  RecordProperty("seed", std::to_string(seed));
  std::printf("DROVER_CRON_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const auto samples = static_cast<std::uint64_t>(setting("DROVER_CRON_SAMPLES", 500));
  for (std::uint64_t i = 0; i < samples && !HasFatalFailure(); ++i) check_sample(seed + i, names);
}

// The same around every change of every zone in these 60 years, with DROVER_CRON_EACH crons each;
// otherwise around a few hundred of them.
TEST(CalendarOracle, AgreesAroundEachChange) {
  const std::int64_t crons = setting("DROVER_CRON_EACH", 1);
  const bool is_all = std::getenv("DROVER_CRON_EACH") != nullptr;
  const std::uint64_t seed = first_seed();
  std::printf("DROVER_CRON_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::int64_t checked = 0;
  std::uint64_t place = seed;
  for (const std::string& name : zone_names()) {
    if (!is_all && place++ % 12 != 0) continue;
    const LibcZone libc(name);
    const Zone zone = find_zone(name).value();
    std::vector<std::int64_t> instants = changes_between(year_begins(1990), year_begins(2050));
    // A zone without changes has its years.
    for (int year = 1990; instants.size() < 12; year += 5) instants.push_back(year_begins(year));
    for (const std::int64_t instant : instants) {
      if (!is_all && place++ % 12 != 0) continue;
      for (std::int64_t i = 0; i < crons; ++i, ++checked) {
        Sample sample(fnv_add(fnv_add(fnv(name, seed), static_cast<std::uint64_t>(instant)),
                              static_cast<std::uint64_t>(i)));
        check_around(sample, name, zone, instant, "DROVER_CRON_SEED=" + std::to_string(seed));
        if (HasFatalFailure()) return;
      }
    }
  }
  std::printf("%lld crons\n", static_cast<long long>(checked));
}

// Over 120 years, rare days come when a walk over all days finds them.
TEST(CalendarOracle, AgreesOnRareDays) {
  const std::uint64_t seed = first_seed();
  const auto samples = static_cast<std::uint64_t>(setting("DROVER_CRON_SAMPLES", 500) / 25);
  for (std::uint64_t i = 0; i < samples; ++i) {
    Sample sample(seed + i);
    RandomCron random;
    random.second = random.minute = random.hour = RandomField{.text = "0", .values = {0}};
    random.day =
        sample.chance(20) ? sample.star(1, 31, sample.pick(1, 31)) : sample.list(1, 31, 30, 1);
    random.month = sample.list(1, 12, 2, 0);
    random.weekday =
        sample.chance(80) ? sample.star(0, 6, sample.pick(1, 7)) : sample.list(0, 6, 3, 3);
    sample.add_last(random, 30);
    random.text = "0 0 " + random.day.text + " " + random.month.text + " " + random.weekday.text;
    const auto cron = parse_cron(random.text);
    ASSERT_TRUE(cron) << random.text << ", DROVER_CRON_SEED=" << seed + i;
    auto next = next_time(*cron, Zone(), 0);
    for (std::int64_t day = 1; day < 120 * 365; ++day) {
      if (!random.matches(day * kDay)) continue;
      ASSERT_EQ(next, day * kDay * 1'000) << random.text << ", DROVER_CRON_SEED=" << seed + i;
      next = next_time(*cron, Zone(), *next);
    }
  }
}

}  // namespace
}  // namespace drover::triggers
