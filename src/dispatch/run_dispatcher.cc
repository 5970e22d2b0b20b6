#include "dispatch/run_dispatcher.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/crash_point.h"
#include "base/limits.h"
#include "dispatch/files/removal.h"
#include "dispatch/files/run_end.h"
#include "dispatch/recorded_point.h"
#include "log/log.h"
#include "run/kind.h"

namespace drover::dispatch {
namespace {

constexpr std::chrono::seconds kEndAgain{1};
constexpr int kCompositeTries = 10;

// One line for each run that was accepted and then could not be launched (H6), or was lost. That a
// composite failed its preflight is recorded in the same way.
void log_failure(const run::Record& record) {
  if (record.reason != run::Reason::launch_failed && record.state != run::State::abandoned) return;
  log::warn({record.id, record.trace_id}, "{}: {}", run::name(*record.reason), record.message);
}

}  // namespace

RunDispatcher::RunDispatcher(asio::any_io_executor loop, Home home, Settings settings,
                             const Clock& clock, store::Store& store, spine::Spine& spine)
    : host_{std::move(loop), std::move(home), clock, store, spine, *settings.kinds},
      settings_(std::move(settings)),
      ids_(clock),
      directories_(host_.home),
      launcher_(host_.loop, host_.home, settings_.keeper_program, settings_.descriptors_max,
                settings_.cgroups.directory),
      line_(host_.loop, host_.home),
      flights_(host_.loop, launcher_),
      claims_(host_),
      plans_(host_),
      attempts_(host_, directories_, ids_, settings_.token_of, settings_.exact_output),
      submissions_(host_, settings_, directories_, ids_),
      progress_(host_),
      adopted_output_(host_, flights_),
      reports_(host_, flights_, attempts_, progress_),
      cancels_(host_, flights_, line_, reports_),
      control_(host_, flights_, line_),
      orphans_(host_, launcher_, flights_),
      sweeper_(host_, launcher_, flights_, orphans_, directories_, settings_.cgroups.directory),
      restorer_(host_, {flights_, launcher_, line_, reports_, cancels_, sweeper_, adopted_output_}),
      take_up_(host_, directories_),
      leftovers_(host_, directories_, ids_.next(), settings_.cgroups.directory) {
  spine.watch([this](const store::Written& written) { see(written); });
}

RunDispatcher::~RunDispatcher() {
  host_.spine.watch({});
}

// The spine shows each commit to this observer, which brings the loop's view up to date. A second
// observer would replace it, so src/ORDER allows none.
void RunDispatcher::see(const store::Written& written) {
  if (take_up_.is_busy()) return;  // recover() builds the view afterwards.
  pass_recorded_point(written);
  bool changes_slots = false;
  for (const run::Event& event : written.events) changes_slots |= claims_.see(event);
  if (written.is_of_run()) changes_slots |= settle(written.record, written.events);
  // The next attempt of a finished run, or other runs of the same Work.
  for (const run::Record& other : written.also) changes_slots |= settle(other, written.events);
  if (changes_slots) claims_.claim_next();
}

// Returns whether a slot has become free, or a place in a queue has changed.
bool RunDispatcher::settle(const run::Record& record, std::span<const run::Event> events) {
  const bool ended = std::ranges::any_of(
      events, [&](const run::Event& event) { return event.terminal && event.run_id == record.id; });
  // It had finished before and was retried by hand: nothing changes here.
  if (run::is_finished(record.state) && !ended) return false;
  if (!host_.kinds.knows(record.kind)) return false;
  claims_.see(record);
  if (!progress_.empty()) progress_.see(record, ended);
  if (ended) {
    log_failure(record);
    // Before its caller is told: after a restore of the database the files must say so.
    if (needs_end_file(record, host_.kinds.is_composite(record.kind))) {
      if (auto kept = write_end(host_.home, record, events); !kept) {
        log::warn(record.id, "cannot write how it ended: {}", kept.error().message);
      }
    }
    const auto flight = flights_.remove(record.id);
    const bool is_clean = flight && flight->kept_to_the_end && flight->retries_left == 0;
    if (!is_clean) directories_.forget_environment(record.id);
  }
  plans_.see(record, ended);
  flights_.begin(record);
  // A new run was claimed at once if there was a free slot.
  const auto first = std::ranges::find(events, record.id, &run::Event::run_id);
  const bool is_new = first != events.end() && first->type == name(run::EventType::queued);
  return ended || (record.state == run::State::queued && !is_new);
}

Result<> RunDispatcher::start_cradle() {
  return launcher_.start(
      [this](const RunId& id, const process::Report& report) {
        if (!reports_.take(id, report)) restorer_.look_again(id);
      },
      [this](const std::vector<RunId>& orphans) {
        for (const RunId& id : orphans) restorer_.look_again(id);
      });
}

asio::awaitable<Result<>> RunDispatcher::recover() {
  if (auto taken = co_await take_up_.take_up(); !taken) co_return taken;
  if (auto loaded = claims_.load(); !loaded) co_return loaded;
  if (settings_.adopts_orphans) orphans_.begin();
  if (auto started = start_cradle(); !started) co_return started;
  crash_point("recovery.cradle_started");
  if (auto sorted = leftovers_.sort_trash(); !sorted) co_return sorted;
  crash_point("recovery.trash_sorted");

  auto active =
      host_.store.list({.active_only = true, .oldest_first = true, .limit = limits::kQueuedMax});
  if (!active) co_return std::unexpected(active.error());
  for (const run::Record& record : *active) {
    // A run of an unknown kind is never claimed; but a slot that it has, it keeps.
    if (host_.kinds.knows(record.kind) || run::holds_slot(record.state)) claims_.see(record);
  }
  // Slots that become free meanwhile are given later: until then a waiting run is as the last
  // daemon left it, and may be one that must not start any more.
  co_await restorer_.restore_inherited(*active);
  for (const run::Record& record : *active) {
    if (!record.held) continue;
    const auto stored = host_.store.find(record.id);
    if (stored && *stored) plans_.see(**stored, false);
  }
  if (!active->empty()) log::info("recovered {} active runs", active->size());
  leftovers_.sweep(*active);
  claims_.open();
  crash_point("recovery.done");
  co_return Result<>{};
}

asio::awaitable<void> RunDispatcher::end_all() {
  submissions_.close();
  claims_.close();
  plans_.close();
  for (int idle = 0; idle < kCompositeTries;) {
    // Runs of unknown kinds are not touched.
    auto active =
        host_.store.list({.active_only = true, .kinds = kinds(), .limit = limits::kQueuedMax});
    bool alone = active && flights_.empty() && !submissions_.are_pending();
    if (alone && active->empty()) co_return;
    if (active) {
      for (const run::Record& record : *active) {
        if (host_.kinds.is_composite(record.kind)) continue;  // It finishes with its children.
        alone = false;
        if (record.cancel_requested) continue;
        (void)co_await cancels_.cancel({.id = record.id, .of_any_kind = true}, std::nullopt);
      }
    }
    // A composite without a script would never finish; none of its processes is alive, and the next
    // daemon continues it.
    idle = alone ? idle + 1 : 0;
    // Look again soon, in case a cancel failed.
    co_await flights_.wait_for_removal(kEndAgain);
  }
}

asio::awaitable<Result<store::Written>> RunDispatcher::submit(Submission submission) {
  return submissions_.submit(std::move(submission));
}

asio::awaitable<Result<store::Written>> RunDispatcher::retry(RetryRequest again) {
  return submissions_.retry(std::move(again));
}

asio::awaitable<Result<CancelOutcome>> RunDispatcher::cancel(RunId id,
                                                             std::optional<std::int64_t> grace_ms) {
  return cancels_.cancel({.id = id}, grace_ms);
}

asio::awaitable<Result<>> RunDispatcher::remove(RunId id) {
  return remove_run(host_, directories_, id);
}

asio::awaitable<Result<>> RunDispatcher::signal(RunId id, int number) {
  return control_.signal(id, number);
}

asio::awaitable<Result<size_t>> RunDispatcher::send_input(RunId id, Input typed) {
  return control_.send_input(id, std::move(typed));
}

asio::awaitable<Result<>> RunDispatcher::resize(RunId id, TerminalSize size) {
  return control_.resize(id, size);
}

asio::awaitable<Result<ProgressOutcome>> RunDispatcher::say_progress(RunId id,
                                                                     run::SaidProgress said) {
  return progress_.say(id, std::move(said));
}

}  // namespace drover::dispatch
