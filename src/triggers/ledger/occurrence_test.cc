// The ledger: each due time and each event has one occurrence, whatever happens twice.
#include "triggers/ledger/occurrence.h"

#include <gtest/gtest.h>

#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"
#include "triggers/ledger/limits.h"
#include "triggers/tables.h"

namespace drover::triggers {
namespace {

using store::must;
using store::reason_of;

class Ledger : public ::testing::Test {
 protected:
  Result<store::Written> add(Occurrence occurrence, const std::string& trigger = "nightly") {
    return store::write_to(store_, store::Work([trigger, occurrence](store::Transaction& t) {
                             return add_occurrence(t, trigger, occurrence);
                           }));
  }
  Result<store::Written> decide(Occurrence occurrence) {
    return store::write_to(store_, store::Work([occurrence](store::Transaction& t) {
                             return decide_occurrence(t, "nightly", occurrence);
                           }));
  }
  std::vector<Occurrence> occurrences() { return must(ledger(store_, {.trigger = "nightly"})); }

  testing::ManualClock clock_;
  testing::TestStore store_{clock_, {.rooms = {kTables}}};
};

// A second occurrence for the same due time is refused, and changes neither occurrences nor totals.
TEST_F(Ledger, HasOneOccurrenceForEachDueTime) {
  must(add({.key = due_time_key(1'000), .due_at = 1'000, .run_id = "run_a"}));
  EXPECT_EQ(reason_of(add({.key = due_time_key(1'000), .due_at = 1'000, .run_id = "run_b"})),
            "already_accounted");
  ASSERT_EQ(occurrences().size(), 1u);
  EXPECT_EQ(occurrences()[0].run_id, "run_a");
  EXPECT_EQ(must(totals(store_, "nightly")).fired, 1);
  must(add({.key = due_time_key(1'000), .due_at = 1'000}, "other"));
}

// Each occurrence is an event that readers of the trigger's scope receive.
TEST_F(Ledger, ReportsEachOccurrence) {
  must(add(
      {.key = due_time_key(1'000), .due_at = 1'000, .outcome = Outcome::missed, .reason = "off"}));
  const auto events = must(store_.events({.scope = "trigger/nightly", .of_owner = false}));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, "trigger.missed");
  EXPECT_NE(events[0].data.find(R"("reason":"off")"), std::string::npos);
}

// A pending occurrence is decided once; its total counts when it is decided.
TEST_F(Ledger, DecidesAPendingOccurrenceOnce) {
  must(add({.key = "evt_1", .due_at = 5, .outcome = Outcome::pending, .event = "{}"}));
  EXPECT_EQ(must(pending(store_, 10)).size(), 1u);
  EXPECT_EQ(must(totals(store_, "nightly")).fired, 0);
  must(decide({.key = "evt_1", .due_at = 5, .run_id = "run_a", .event = "{}"}));
  EXPECT_EQ(reason_of(decide({.key = "evt_1", .outcome = Outcome::skipped})), "already_accounted");
  EXPECT_EQ(must(pending(store_, 10)).size(), 0u);
  EXPECT_EQ(occurrences()[0].outcome, Outcome::fired);
}

// The oldest occurrences are removed; the totals count them for ever.
TEST_F(Ledger, IsBounded) {
  for (int i = 0; i < kOccurrencesKept + 20; ++i) {
    must(add({.key = due_time_key(i * 1'000), .due_at = i * 1'000, .outcome = Outcome::skipped}));
  }
  EXPECT_EQ(must(ledger(store_, {.trigger = "nightly", .limit = 5'000})).size(),
            static_cast<size_t>(kOccurrencesKept));
  EXPECT_EQ(must(totals(store_, "nightly")).skipped, kOccurrencesKept + 20);
}

// An occurrence for many due times counts as many.
TEST_F(Ledger, CountsARange) {
  must(add({.key = due_time_key(9'000),
            .due_at = 9'000,
            .outcome = Outcome::missed,
            .count = 7,
            .first_key = due_time_key(3'000)}));
  EXPECT_EQ(must(totals(store_, "nightly")).missed, 7);
  EXPECT_EQ(occurrences()[0].first_key, due_time_key(3'000));
}

// Pages follow one another without gaps or repetitions.
TEST_F(Ledger, IsReadInPages) {
  for (int i = 1; i <= 5; ++i) must(add({.key = due_time_key(i), .due_at = i}));
  const auto first = must(ledger(store_, {.trigger = "nightly", .limit = 2}));
  const auto second =
      must(ledger(store_, {.trigger = "nightly", .before = first.back().number, .limit = 2}));
  EXPECT_EQ(first[0].due_at, 5);
  EXPECT_EQ(second[0].due_at, 3);
}

// Occurrences that are too old are removed when a new one is added; their totals stay.
TEST_F(Ledger, ForgetsByAge) {
  for (WallMs due_time = 1; due_time <= 3; ++due_time)
    must(add({.key = due_time_key(due_time), .due_at = due_time}));
  clock_.advance_ms(kOccurrenceAgeMs + 1);
  must(add({.key = due_time_key(4), .due_at = 4}));
  ASSERT_EQ(occurrences().size(), 1u);
  EXPECT_EQ(occurrences()[0].key, due_time_key(4));
  EXPECT_EQ(must(totals(store_, "nightly")).fired, 4);
}

// Pending occurrences are read in pages, the oldest first, so that those of one trigger do not hide
// others.
TEST_F(Ledger, PendingOccurrencesHavePages) {
  for (int i = 0; i < 5; ++i) {
    must(add({.key = "evt_" + std::to_string(i),
              .due_at = 5,
              .outcome = Outcome::pending,
              .event = "{}"},
             "stuck"));
  }
  must(add({.key = "evt_0", .due_at = 6, .outcome = Outcome::pending, .event = "{}"}, "other"));
  must(add({.key = "evt_1", .due_at = 5, .outcome = Outcome::pending, .event = "{}"}, "later"));
  std::string order;
  for (PendingKey last;;) {
    const auto page = must(pending(store_, 2, last));
    if (page.empty()) break;
    for (const PendingKey& occurrence : page)
      order += occurrence.trigger + occurrence.key.substr(3) + " ";
    last = page.back();
  }
  EXPECT_EQ(order, "later_1 stuck_0 stuck_1 stuck_2 stuck_3 stuck_4 other_0 ");
}

}  // namespace
}  // namespace drover::triggers
