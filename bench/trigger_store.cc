// Fills the store of $DROVER_HOME with triggers, without a daemon, and reads the ledger back.
//
//   bench-trigger-store idle N       N triggers that are due next year at the earliest
//   bench-trigger-store events N     N triggers on an event that nobody posts
//   bench-trigger-store due N S      N triggers that are due together, S seconds from now, once;
//                                    their runs wait in the lane `parked`
//   bench-trigger-store claimed N    Of those: the milliseconds from the due time to the last of N
//                                    entries. Exits with 1 if one is missing, or if their runs are
//                                    not in the order of the triggers.
#include <boost/json/array.hpp>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/home.h"
#include "bench/client.h"
#include "follow/cursor.h"
#include "store/sqlite/sqlite_store.h"
#include "triggers/definition/trigger_change.h"
#include "triggers/tables.h"

namespace {

using namespace drover;
using bench::give_up;
namespace json = boost::json;

constexpr int kPerCommit = 200;

json::object source_of(const std::string& kind, int number, WallMs due) {
  if (kind == "events") return {{"type", "event"}, {"on", "bench.never"}};
  if (kind == "due") return {{"type", "once"}, {"at", rfc3339(due)}};
  const std::string minute = std::to_string(number % 60) + " " + std::to_string(number / 60 % 24);
  // Two days before today in a year: never soon.
  const std::string day = rfc3339(due - 2 * 86'400'000LL);
  return {{"type", "cron"},
          {"cron", minute + " " + day.substr(8, 2) + " " + day.substr(5, 2) + " *"},
          {"tz", "Europe/Berlin"}};
}

triggers::StoredTrigger trigger_of(const std::string& kind, int number, WallMs now, WallMs due) {
  char name[32];
  std::snprintf(name, sizeof name, "t%06d", number);
  json::object run{{"command", json::array{"/bin/true"}}, {"cwd", "/"}};
  if (kind == "due") run["lane"] = "parked";
  const auto spec = triggers::read_spec(
      json::object{{"name", name}, {"source", source_of(kind, number, due)}, {"run", run}}, now);
  if (!spec) give_up(spec.error().message);
  auto made = triggers::new_trigger(*spec, now, "");
  if (!made) give_up(made.error().message);
  return std::move(*made);
}

void write(store::Store& store, std::vector<triggers::StoredTrigger> some) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  store.write(store::Work([some = std::move(some)](store::Transaction& t) -> Result<> {
                for (const triggers::StoredTrigger& one : some) {
                  if (auto ok = triggers::write_added(t, one); !ok) return ok;
                }
                return {};
              }),
              [&](const Result<store::Written>& written) {
                if (!written) give_up(written.error().message);
                const std::lock_guard lock(mutex);
                done = true;
                changed.notify_one();
              });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done; });
}

void fill(store::Store& store, const std::string& kind, int count, int seconds) {
  const WallMs now = SystemClock().wall_ms();
  const WallMs due = (now / 1'000 + seconds) * 1'000;
  for (int number = 0; number < count;) {
    std::vector<triggers::StoredTrigger> some;
    for (; number < count && some.size() < kPerCommit; ++number) {
      some.push_back(trigger_of(kind, number, now, due));
    }
    write(store, std::move(some));
  }
}

void report_claims(store::Store& store, int count) {
  const auto rows = store.query(
      "SELECT o.decided_at - o.due_at, o.name FROM occurrences o JOIN runs r ON r.id = o.run_id "
      "WHERE o.outcome = 'fired' ORDER BY r.number",
      {});
  if (!rows) give_up(rows.error().message);
  if (std::ssize(*rows) != count) give_up(std::to_string(rows->size()) + " of them fired");
  std::int64_t last = 0;
  std::string before;
  for (const store::Values& row : *rows) {
    last = std::max(last, row[0].integer());
    if (row[1].text() < before) give_up(row[1].text() + " was claimed after " + before);
    before = row[1].text();
  }
  std::printf("%lld\n", static_cast<long long>(last));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 2 ? argv[1] : "";
  const int count = argc > 2 ? std::atoi(argv[2]) : 0;
  const int seconds = argc > 3 ? std::atoi(argv[3]) : 0;
  if (count < 1) give_up("usage: bench-trigger-store idle|events|due|claimed N [SECONDS]");
  const auto home = Home::from_environment();
  if (!home) give_up(home.error().message);
  if (auto made = home->create(); !made) give_up(made.error().message);
  const SystemClock clock;
  const auto store = store::SqliteStore::open(home->database(), clock,
                                              {.rooms = {follow::kTables, triggers::kTables}});
  if (!store) give_up(store.error().message);
  if (kind == "claimed") {
    report_claims(**store, count);
  } else {
    fill(**store, kind, count, seconds);
  }
  return 0;
}
