// The actions of people, servers, the disk and the machine in a World.
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "testing/breaking_disk.h"
#include "triggers/month/world_fixture.h"

namespace drover::triggers::month {

using drover::testing::BreakingDisk;
using drover::testing::Fault;
using drover::testing::FaultDuration;

namespace {

constexpr auto kTypes = std::to_array<std::string_view>({"build.done", "deploy.done", "test.done"});
constexpr auto kFaults =
    std::to_array<Fault>({Fault::io_error, Fault::full, Fault::short_write, Fault::late_full});

}  // namespace

const PlannedTrigger& World::any_of(Sample& sample, std::string_view source) const {
  std::vector<const PlannedTrigger*> all;
  for (const PlannedTrigger& one : plan_.triggers) {
    if (source.empty() || one.source == source) all.push_back(&one);
  }
  return *all[static_cast<size_t>(sample.pick(0, static_cast<int>(all.size()) - 1))];
}

void World::act(const Action& action) {
  Sample sample(action.seed);
  switch (action.act) {
    case Act::emit:
      return emit(sample);
    case Act::deliver:
      return deliver(sample);
    case Act::redeliver:
      return redeliver(sample);
    case Act::publish:
      return publish(sample);
    case Act::write_file:
      return write_file(sample);
    case Act::fire:
      return fire(sample);
    case Act::pause:
      return pause(sample, true);
    case Act::resume:
      return pause(sample, false);
    case Act::edit:
      return edit(sample);
    case Act::kill:
      return kill_for_a_while(sample);
    case Act::kill_in_write:
    case Act::fail_call:
    case Act::fail_sync:
      return break_disk(sample, action.act);
    case Act::fill_disk:
      return fill_disk(sample);
    case Act::set_clock:
      return set_clock(sample);
    case Act::sleep:
      return sleep(sample);
  }
}

void World::emit(Sample& sample) {
  PostedToLog event{.number = static_cast<int>(outside_.posted.size()),
                    .digit = sample.pick(0, 9),
                    .type = std::string(kTypes[static_cast<size_t>(sample.pick(0, 2))]),
                    .key = sample.chance(60) ? "key-" + std::to_string(sample.pick(0, 2)) : ""};
  const auto id = daemon_->run(daemon_->triggers->emit(Outside::request(event), "x", {}, ""));
  event.confirmed = id && *id;
  outside_.posted.push_back(std::move(event));
  if (is_sound_) daemon_->catch_up();
}

void World::deliver(Sample& sample) {
  const PlannedTrigger& to = any_of(sample, "webhook");
  const int digit = sample.pick(0, 9);
  outside_.delivered.push_back(
      {.trigger = to.name,
       .body = Outside::payload(static_cast<int>(outside_.delivered.size()), digit),
       .digit = digit});
  (void)send(outside_.delivered.back());
  if (is_sound_) daemon_->catch_up();
}

// False: the sender will try again.
bool World::send(Delivered& delivery) {
  const std::string signature = hook_signature(delivery.body);
  HookRequest request{.headers = [&](std::string_view name) -> std::vector<std::string_view> {
                        if (name == "x-hub-signature-256") return {signature};
                        return {};
                      },
                      .body = delivery.body,
                      .now = clock_.wall_ms()};
  const auto done =
      daemon_->run(daemon_->hooks->deliver(plan_.find(delivery.trigger)->path, std::move(request),
                                           {.name = "stranger", .is_token = true}));
  if (!done || !*done) return false;
  const Occurrence& occurrence = (*done)->occurrence;
  if (occurrence.outcome == Outcome::pending) return false;
  if (delivery.confirmed && (occurrence.key != delivery.event_id ||
                             occurrence.run_id != delivery.run_id || !(*done)->is_repeated)) {
    problems_.push_back(delivery.trigger + ": another answer to the same delivery");
  }
  delivery.confirmed = true;
  delivery.event_id = occurrence.key;
  delivery.run_id = occurrence.run_id;
  return true;
}

void World::redeliver(Sample& sample) {
  if (outside_.delivered.empty()) return;
  (void)send(outside_.delivered[static_cast<size_t>(
      sample.pick(0, static_cast<int>(outside_.delivered.size()) - 1))]);
  daemon_->catch_up();
}

void World::publish(Sample& sample) {
  const PlannedTrigger& to = any_of(sample, sample.chance(75) ? "feed" : "page");
  ++outside_.published[to.path];
}

void World::write_file(Sample& sample) {
  const PlannedTrigger& to = any_of(sample, "file");
  const size_t before = occurrences(to.name).size();
  // Also while no daemon looks.
  const bool is_down = sample.chance(50);
  const int count = is_down ? sample.pick(1, 3) : 1;
  if (is_down) kill();
  for (int i = 0; i < count; ++i) {
    std::vector<std::string>& written = outside_.written[to.name];
    written.push_back("file-" + std::to_string(written.size()));
    // Whole at once: the clock stands still, so nothing settles.
    const std::string made = directory_.file("outside") + "/made";
    std::ofstream(made) << "content";
    std::filesystem::rename(made, to.path + "/" + written.back());
  }
  if (is_down) open();
  wait_for(to.name, before + 1);
  turn();
}

void World::fire(Sample& sample) {
  const PlannedTrigger& one = any_of(sample, "");
  const auto fired = daemon_->run(daemon_->triggers->fire(one.name, {}));
  if (fired && *fired) fired_by_hand_.push_back(one.name);
  daemon_->catch_up();
}

void World::pause(Sample& sample, bool is_pause) {
  const PlannedTrigger& one = any_of(sample, "");
  if (one.source == "file") return;  // It is not watched meanwhile.
  (void)daemon_->run(is_pause ? daemon_->triggers->pause(one.name)
                              : daemon_->triggers->resume(one.name));
  daemon_->catch_up();
}

void World::edit(Sample& sample) {
  const PlannedTrigger& one = any_of(sample, "");
  const char* overlap = sample.chance(50) ? "skip" : "queue";
  // A single time that is over has no future: refused.
  const auto edited =
      daemon_->run(daemon_->triggers->edit(one.name, {{"overlap", overlap}}, std::nullopt));
  if (edited && *edited) edits_[one.name].emplace_back(overlap);
  daemon_->catch_up();
}

void World::kill_for_a_while(Sample& sample) {
  kill();
  if (sample.chance(40)) clock_.advance_ms(sample.pick(1, 120) * kMinuteMs);
  if (sample.chance(30)) clock_.advance_ms(sample.pick(1, 40) * kHourMs);
  open();
  turn();
}

// Something happens while a call of the disk fails, or a sync has an unknown result. Then the
// daemon may be killed: between a decision and its commit, or between a commit and its answer.
void World::break_disk(Sample& sample, Act act) {
  is_sound_ = false;
  if (act == Act::fail_sync) {
    BreakingDisk::fail_sync(sample.chance(50) ? BreakingDisk::Fate::lost
                                              : BreakingDisk::Fate::landed);
  } else {
    BreakingDisk::break_call(
        sample.pick(1, 60), kFaults[static_cast<size_t>(sample.pick(0, 3))],
        act == Act::kill_in_write ? FaultDuration::until_repaired : FaultDuration::once);
  }
  // The next thing that is due, and something beside it.
  std::int64_t next = now_ms() + kHourMs;
  if (const auto end = processes_.next_end_ms()) next = std::min(next, *end);
  if (const auto at = daemon_->timer->at())
    next = std::min(next, now_ms() + (*at - clock_.wall_ms()));
  clock_.advance_ms(std::max<std::int64_t>(next - now_ms(), 0));
  turn(true);
  if (sample.chance(40) && !is_repeatable()) emit(sample);
  if (sample.chance(20)) deliver(sample);
  if (act == Act::kill_in_write || sample.chance(30)) {
    kill();
    BreakingDisk::repair();
    if (sample.chance(30) && !is_repeatable()) {
      clock_.advance_ms(sample.pick(1, 90) * kMinuteMs);
    }
    open();
  }
  recover();
}

// Nothing fires while the store is full.
void World::fill_disk(Sample& sample) {
  const std::int64_t seq = daemon_->store->last_seq().value();
  const auto started = started_;
  is_sound_ = false;
  BreakingDisk::fill();
  pass_until(now_ms() + sample.pick(1, 10) * kHourMs, true);
  if (sample.chance(50)) emit(sample);
  if (sample.chance(50)) deliver(sample);
  if (daemon_->store->last_seq().value() != seq || started_ != started) {
    problems_.emplace_back("something happened while the store was full");
  }
  recover();
}

void World::set_clock(Sample& sample) {
  const int minutes = sample.chance(50) ? sample.pick(-36 * 60, 36 * 60) : sample.pick(-90, 90);
  clock_.set_wall(clock_.wall_ms() + minutes * kMinuteMs);
  turn();
}

// Nothing runs, no process either, and it takes long.
void World::sleep(Sample& sample) {
  clock_.advance_ms(sample.pick(1, 3 * 24) * kHourMs);
  turn();
}

}  // namespace drover::triggers::month
