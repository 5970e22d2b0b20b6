#include "triggers/month/world_fixture.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "testing/breaking_disk.h"
#include "testing/until.h"

namespace drover::triggers::month {

using drover::testing::BreakingDisk;

World::World(std::uint64_t seed)
    : plan_(plan_month(seed, directory_.file("outside"))),
      clock_(plan_.begins),
      began_ms_(now_ms()),
      processes_(clock_, [this](const run::Record& record) { return choose(record); }) {
  BreakingDisk::repair();
  BreakingDisk::keep_no_image();
  if (!home_.create()) throw std::runtime_error("no home");
  std::filesystem::create_directories(directory_.file("outside"));
  const std::string secret = directory_.file("outside") + "/secret";
  std::ofstream(secret) << kHookSecret;
  std::filesystem::permissions(secret, std::filesystem::perms::owner_read);
}

World::~World() {
  BreakingDisk::repair();
}

// Ends are on a grid of five minutes: fewer steps.
Process World::choose(const run::Record& record) {
  const std::string trigger = record.scope.substr(record.scope.find('/') + 1);
  Sample sample(mix(plan_.seed, trigger + "#" + std::to_string(started_[trigger]++)));
  const PlannedTrigger* planned = plan_.find(trigger);
  const bool fails = (planned != nullptr && planned->fails) || sample.chance(8);
  std::int64_t length = sample.pick(1, 600'000);
  if (sample.chance(15)) length = sample.pick(1, 12) * kHourMs;
  if (sample.chance(3)) length = sample.pick(2, 5) * kDayMs;  // It hangs.
  if (fails) length = sample.pick(1, 60'000);
  const std::int64_t grid = 5 * kMinuteMs;
  std::int64_t end = (now_ms() - began_ms_ + length) / grid * grid + grid + 20'000;
  // Not when the ends of others are events for it: one of the two would be first by chance.
  if (planned != nullptr && planned->source == "internal") {
    end += 1 + std::distance(plan_.triggers.data(), planned);
  }
  return {.ends_at_ms = began_ms_ + end, .exit_code = fails ? 1 : 0};
}

bool World::is_calm() const {
  const std::int64_t passed = now_ms() - began_ms_;
  return passed < kHourMs || passed > 28 * kDayMs;
}

void World::open() {
  daemon_ = std::make_unique<SimulatedDaemon>(SimulatedDaemonParts{
      .clock = clock_,
      .home = home_,
      .processes = processes_,
      .fetch = [this](FetchRequest request) -> asio::awaitable<Result<Fetched>> {
        co_return outside_.answer(request, plan_.seed, clock_.wall_ms(), is_calm());
      }});
}

void World::pass_until(std::int64_t ms, bool is_broken) {
  while (now_ms() < ms) {
    std::int64_t next = ms;
    if (const auto end = processes_.next_end_ms()) next = std::min(next, *end);
    if (const auto at = daemon_->timer->at()) {
      next = std::min(next, now_ms() + (*at - clock_.wall_ms()));
    }
    // A store that cannot be written has the timer ring every half second.
    if (is_broken) next = std::min(ms, now_ms() + 10 * kMinuteMs);
    clock_.advance_ms(std::max<std::int64_t>(next - now_ms(), 0));
    turn(is_broken);
  }
}

void World::turn(bool is_broken) {
  (void)daemon_->run(daemon_->dispatcher->record_ends());
  if (const auto at = daemon_->timer->at(); at && *at <= clock_.wall_ms()) daemon_->timer->ring();
  if (is_broken) return daemon_->settle();
  daemon_->catch_up();
  decided_until_ = std::max(decided_until_, clock_.wall_ms());
}

void World::recover() {
  BreakingDisk::repair();
  is_sound_ = true;
  (void)daemon_->run(daemon_->dispatcher->recover(false));
  daemon_->timetable->wake();
  turn();
  for (Delivered& delivery : outside_.delivered) {
    if (!delivery.confirmed && !send(delivery)) throw std::runtime_error("a webhook is refused");
  }
  daemon_->catch_up();
}

std::vector<Occurrence> World::occurrences(const std::string& trigger) {
  return ledger(*daemon_->store, {.trigger = trigger, .limit = 2'000}).value();
}

// The kernel reports changes of files in real time.
void World::wait_for(const std::string& trigger, size_t occurrences_expected) {
  const bool has_seen = testing::becomes_true([&] {
    if (occurrences(trigger).size() >= occurrences_expected) return true;
    daemon_->loop.run_one_for(std::chrono::milliseconds(100));
    return false;
  });
  if (!has_seen) throw std::runtime_error(trigger + " does not see its files");
  daemon_->catch_up();
}

void World::add_all() {
  for (const PlannedTrigger& one : plan_.triggers) {
    if (one.source == "file") std::filesystem::create_directories(one.path);
    const auto added = daemon_->run(daemon_->triggers->add(one.fields, {}));
    if (!added || !*added) {
      throw std::runtime_error(one.name + ": " + (added ? added->error().message : "no answer"));
    }
  }
  daemon_->catch_up();
  // The first look at a directory fires nothing, and is stored.
  for (const PlannedTrigger& one : plan_.triggers) {
    if (one.source != "file") continue;
    while (state_of(*daemon_->store, one.name).value().empty()) {
      daemon_->loop.run_one_for(std::chrono::milliseconds(100));
    }
  }
  daemon_->catch_up();
}

void World::live() {
  open();
  add_all();
  for (const Action& action : plan_.actions) {
    pass_until(began_ms_ + action.at_ms);
    act(action);
  }
  // A long sleep may have passed the end; feeds are polled once more.
  pass_until(std::max(began_ms_ + kMonthMs, now_ms() + 2 * kDayMs));
  for (const PlannedTrigger& one : plan_.triggers) {
    (void)daemon_->run(daemon_->triggers->resume(one.name));
  }
  recover();
}

}  // namespace drover::triggers::month
