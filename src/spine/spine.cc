#include "spine/spine.h"

#include <algorithm>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "log/log.h"
#include "spine/missed.h"

namespace drover::spine {

namespace {

constexpr std::chrono::milliseconds kReadAgain{500};  // While the store cannot be read.

}  // namespace

// Used by both the store's thread and the loop. It lives as long as the last write.
struct Spine::Shared : std::enable_shared_from_this<Shared> {
  using Clock = std::chrono::steady_clock;
  struct Finished {
    Result<store::Written> result;
    RecordCallback callback;
    Clock::time_point asked;
    std::optional<RunId> run;  // The run of the fact; empty: the write is not a fact.
  };

  Shared(asio::any_io_executor executor, store::Store& memory, bus::Bell& rung, Tally& numbers)
      : loop(std::move(executor)),
        bell(rung),
        store(memory),
        tally(numbers),
        read_again(loop),
        last_shown(rung.last_seq()),
        last_counted(rung.last_seq()) {}

  asio::any_io_executor loop;
  bus::Bell& bell;
  store::Store& store;
  Tally& tally;
  std::mutex mutex;
  std::vector<Finished> finished;  // Guarded by mutex: committed but not answered yet.

  // The rest belongs to the loop.
  bool closed = false;  // The spine is destroyed.
  bool unsure = false;  // A commit may have landed without an answer.
  // Destroyed with the spine: the last write may outlive the loop, and a timer must not.
  std::optional<asio::steady_timer> read_again;
  std::int64_t last_shown;  // While unsure: there may be commits after it that were not shown.
  std::function<void(const store::Written&)> seen;

  std::int64_t last_counted;  // By the tally; earlier events are not counted again.

  // A transition that the table of run/life.h does not allow is always logged (R2), here and
  // nowhere else.
  void log_refusal(const Finished& refused) {
    const Error& error = refused.result.error();
    if (!run::is_refused_transition(error)) return;
    // A Work may be about several runs: the refusal names one.
    const auto run = refused.run ? refused.run : run::refused_run(error);
    if (!run) return log::warn("refused: {}", error.message);
    const auto record = store.find(*run);
    const std::string trace = record && *record ? (*record)->trace_id : run->trace_id();
    log::warn({*run, trace}, "refused: {}", error.message);
  }

  void show(const store::Written& written, std::int64_t counted) {
    if (written.is_of_run()) tally.see(written, counted);
    last_counted = std::max(last_counted, written.events.back().seq);
    if (seen) seen(written);
  }

  // Shows commits that landed without an answer, and rings the bell for them (R12).
  Result<> catch_up() {
    const std::int64_t counted = last_counted;
    while (true) {
      auto events = store.events(
          {.after = last_shown, .run = {}, .scope = {}, .limit = limits::kSubscriberPage});
      if (!events) return std::unexpected(events.error());
      if (events->empty()) break;
      const std::int64_t last = events->back().seq;
      const auto runs = commits_of(store, std::move(*events));
      if (!runs) return std::unexpected(runs.error());
      bell.catch_up(last);
      last_shown = last;
      for (const store::Written& written : *runs) show(written, counted);
    }
    unsure = false;
    return {};
  }

  void try_to_catch_up() {
    if (catch_up()) return;
    read_again->expires_after(kReadAgain);
    read_again->async_wait([self = shared_from_this()](boost::system::error_code canceled) {
      if (!canceled && !self->closed && self->unsure) self->try_to_catch_up();
    });
  }

  // Skips commits that catch_up has shown already.
  void show_new(const store::Written& written) {
    if (written.events.empty() || written.events.back().seq <= last_shown) return;
    if (!unsure) last_shown = written.events.back().seq;
    show(written, 0);
  }

  // Handles a whole commit at once: first the bell, then the observer, then each caller.
  void tell() {
    std::vector<Finished> batch;
    {
      const std::lock_guard lock(mutex);
      batch.swap(finished);
    }
    if (closed) return;
    const auto now = Clock::now();
    std::vector<run::Event> events;
    for (Finished& f : batch) {
      if (!f.result) {
        unsure = unsure || f.result.error().reason == "commit_unknown";
        log_refusal(f);
        continue;
      }
      tally.appended(std::chrono::duration<double>(now - f.asked).count(), f.result->events.size());
      events.insert(events.end(), f.result->events.begin(), f.result->events.end());
    }
    if (unsure) try_to_catch_up();
    if (!events.empty()) bell.ring(std::move(events));
    for (const Finished& f : batch) {
      if (f.result) show_new(*f.result);
    }
    for (Finished& f : batch) f.callback(std::move(f.result));
  }
};

Spine::Spine(asio::any_io_executor loop, store::Store& store, bus::Bell& bell)
    : shared_(std::make_shared<Shared>(std::move(loop), store, bell, tally_)), store_(store) {}

Spine::~Spine() {
  shared_->closed = true;
  shared_->read_again.reset();
}

void Spine::watch(std::function<void(const store::Written&)> seen) {
  shared_->seen = std::move(seen);
}

void Spine::record(store::Write write, RecordCallback callback) {
  const auto* fact = std::get_if<run::Fact>(&write);
  const auto run = fact == nullptr ? std::nullopt : std::optional(run::subject(*fact));
  store_.write(std::move(write),
               [shared = shared_, callback = std::move(callback), asked = Shared::Clock::now(),
                run](Result<store::Written> result) mutable {
                 bool first = false;
                 {
                   const std::lock_guard lock(shared->mutex);
                   first = shared->finished.empty();
                   shared->finished.push_back({std::move(result), std::move(callback), asked, run});
                 }
                 // One wake-up of the loop for all answers of one commit.
                 if (first) asio::post(shared->loop, [shared] { shared->tell(); });
               });
}

asio::awaitable<Result<store::Written>> Spine::record(store::Write write) {
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&,
                                          void(Result<store::Written>)>(
      [this](auto handler, store::Write w) {
        record(std::move(w), [h = std::move(handler)](Result<store::Written> r) mutable {
          std::move(h)(std::move(r));
        });
      },
      asio::use_awaitable, std::move(write));
}

}  // namespace drover::spine
