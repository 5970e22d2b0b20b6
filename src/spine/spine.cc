#include "spine/spine.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

namespace drover::spine {

struct Spine::Shared {
  using Clock = std::chrono::steady_clock;
  struct Finished {
    Result<store::Written> result;
    Told told;
    Clock::time_point asked;
  };

  asio::any_io_executor loop;
  bus::Bell* bell;
  store::Store* store;
  Tally* tally;
  std::mutex mutex;
  std::vector<Finished> finished;  // Guarded by mutex: committed, nobody told yet.
  bool closed = false;             // On the loop: the spine is gone.
  bool unsure = false;             // On the loop: a commit may have landed without an answer.

  // What landed must be told, though its writer was not (R12).
  void look_for_events() {
    const auto last = store->last_seq();
    if (!last) return;  // With the next write, then.
    bell->catch_up(*last);
    unsure = false;
  }

  // On the loop. A whole commit is told at once: first everybody's bell, then each caller.
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
        continue;
      }
      tally->see(*f.result);
      tally->appended(std::chrono::duration<double>(now - f.asked).count(),
                      f.result->events.size());
      events.insert(events.end(), f.result->events.begin(), f.result->events.end());
    }
    if (unsure) look_for_events();
    if (!events.empty()) bell->ring(std::move(events));
    for (Finished& f : batch) f.told(std::move(f.result));
  }
};

Spine::Spine(asio::any_io_executor loop, store::Store& store, bus::Bell& bell)
    : shared_(std::make_shared<Shared>()), store_(store) {
  shared_->loop = std::move(loop);
  shared_->bell = &bell;
  shared_->store = &store;
  shared_->tally = &tally_;
}

Spine::~Spine() {
  shared_->closed = true;
}

void Spine::record(store::Write write, Told told) {
  store_.write(std::move(write),
               [shared = shared_, told = std::move(told),
                asked = Shared::Clock::now()](Result<store::Written> result) mutable {
                 bool first = false;
                 {
                   const std::lock_guard lock(shared->mutex);
                   first = shared->finished.empty();
                   shared->finished.push_back({std::move(result), std::move(told), asked});
                 }
                 // One wake-up of the loop for everything one commit brought.
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
