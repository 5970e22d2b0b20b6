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
constexpr size_t kEndPage = 1'000;  // Records in memory at once.
// How long `stop --kill` waits for a store that records nothing, once no process is alive.
constexpr std::chrono::seconds kUnrecordedMax{5};

// Logs one line for each run that was accepted and then could not be launched (H6), or was lost. A
// composite that failed its preflight counts as not launched.
void log_failure(const run::Record& record) {
  if (record.reason != run::Reason::launch_failed && record.state != run::State::abandoned) return;
  log::warn({record.id, record.trace_id}, "{}: {}", run::name(*record.reason), record.message);
}

}  // namespace

RunDispatcher::RunDispatcher(asio::any_io_executor loop, Home home, DispatcherOptions options,
                             const Clock& clock, store::ReadPool& reads, spine::Spine& spine)
    : host_{std::move(loop), std::move(home), clock, reads, spine, *options.kinds},
      options_(std::move(options)),
      ids_(clock),
      directories_(host_.home),
      launcher_(host_.loop, host_.home, options_.keeper_program, options_.descriptors_max,
                options_.cgroups.directory),
      line_(host_.loop, host_.home),
      flights_(host_.loop, launcher_, host_.clock),
      claims_(host_),
      plans_(host_),
      attempts_(host_, directories_, ids_, options_.token_of, options_.exact_output),
      submissions_(host_, options_, directories_, ids_),
      progress_(host_),
      adopted_output_(host_, flights_),
      reports_(host_, flights_, attempts_, progress_),
      cancels_(host_, flights_, line_, reports_),
      control_(host_, flights_, line_),
      readiness_(host_, directories_, launcher_, ids_, options_.keeper_program),
      orphans_(host_, launcher_, flights_, directories_),
      sweeper_(host_, launcher_, flights_, orphans_, directories_, options_.cgroups.directory),
      restorer_(host_, {flights_, launcher_, line_, reports_, cancels_, sweeper_, adopted_output_}),
      take_up_(host_, directories_),
      leftovers_(host_, directories_, ids_.next(), options_.cgroups.directory) {
  spine.watch([this](const store::Written& written) { see(written); });
  cancels_.on_unreported([this](const RunId& id) { restorer_.look_again(id); });
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
      events, [&](const run::Event& event) { return event.is_final && event.run_id == record.id; });
  // It had finished before and was retried by hand: nothing changes here.
  if (run::is_finished(record.state) && !ended) return false;
  if (!host_.kinds.knows(record.kind)) return false;
  claims_.see(record);
  if (!progress_.empty()) progress_.see(record, ended);
  if (ended) {
    log_failure(record);
    // Before its caller gets the answer: after a restore of the database the files must say so.
    if (needs_end_file(record, host_.kinds.is_composite(record.kind))) {
      if (auto kept = write_end(host_.home, record, events); !kept) {
        log::warn(record.id, "cannot write how it finished: {}", kept.error().message);
      }
    }
    const auto flight = flights_.remove(record.id);
    const bool is_clean = flight && flight->kept_to_the_end && flight->retries_left == 0;
    if (flight && flight->kept_to_the_end && flight->launched != 0 && record.started_at != 0) {
      readiness_.see_end(flight->launched);
    }
    if (!is_clean || directories_.are_exchanged()) directories_.forget_environment(record.id);
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
        if (readiness_.take(id, report)) return;
        if (!reports_.take(id, report)) restorer_.look_again(id);
      },
      [this](const std::vector<RunId>& orphans) {
        for (const RunId& id : orphans) {
          if (!readiness_.take_loss(id)) restorer_.look_again(id);
        }
      });
}

asio::awaitable<Result<>> RunDispatcher::recover(store::Reads& store) {
  if (auto taken = co_await take_up_.take_up(store); !taken) co_return taken;
  if (auto loaded = claims_.load(store); !loaded) co_return loaded;
  if (options_.adopts_orphans) orphans_.begin();
  if (auto started = start_cradle(); !started) co_return started;
  crash_point("recovery.cradle_started");
  if (auto sorted = leftovers_.sort_trash(store); !sorted) co_return sorted;
  crash_point("recovery.trash_sorted");

  auto active =
      store.list({.active_only = true, .oldest_first = true, .limit = limits::kQueuedMax});
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
    const auto stored = store.find(record.id);
    if (stored && *stored) plans_.see(**stored, false);
  }
  if (!active->empty()) log::info("recovered {} active runs", active->size());
  leftovers_.clear(*active, store);
  claims_.open();
  crash_point("recovery.done");
  co_return Result<>{};
}

// A page at a time, newest first. Runs of unknown kinds are not touched.
asio::awaitable<Result<RunDispatcher::ActiveRuns>> RunDispatcher::cancel_active() {
  ActiveRuns found;
  store::Query query{.active_only = true, .kinds = kinds(), .limit = kEndPage};
  while (true) {
    const auto page = co_await host_.reads.ask(
        store::daemon_itself(), [query](store::Reads& store) { return store.list(query); });
    if (!page) co_return std::unexpected(page.error());
    for (const run::Record& record : *page) {
      found.any = true;
      if (host_.kinds.is_composite(record.kind)) continue;  // It finishes with its children.
      found.plain = true;
      if (record.cancel_requested) continue;
      (void)co_await cancels_.cancel({.id = record.id, .of_any_kind = true}, std::nullopt);
    }
    if (page->size() < query.limit) co_return found;
    query.before = page->back().number;
  }
}

asio::awaitable<void> RunDispatcher::end_all() {
  submissions_.close();
  claims_.close();
  plans_.close();
  auto last_change = std::chrono::steady_clock::now();
  size_t in_flight = flights_.size();
  for (int idle = 0; idle < kCompositeTries;) {
    // Before the store is asked: a submission that is recorded meanwhile is not in the answer.
    const bool all_recorded = !submissions_.are_pending();
    const auto active = co_await cancel_active();
    const bool alone = active && !active->plain && flights_.empty() && all_recorded;
    if (alone && !active->any) co_return;
    // A composite without a script would never finish; none of its processes is alive, and the next
    // daemon continues it.
    idle = alone ? idle + 1 : 0;
    const bool nothing_lives = flights_.are_all_kept_to_the_end() && !submissions_.are_pending();
    if (!nothing_lives || flights_.size() != in_flight) {
      last_change = std::chrono::steady_clock::now();
      in_flight = flights_.size();
    } else if (in_flight > 0 && std::chrono::steady_clock::now() - last_change > kUnrecordedMax) {
      log::error("stopping with {} ends not recorded; the next daemon records them", in_flight);
      co_return;
    }
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

asio::awaitable<Result<>> RunDispatcher::remove(run::Record record) {
  return remove_run(host_, directories_, std::move(record));
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
