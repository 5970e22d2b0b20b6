#include "cmd/idle_memory.h"

#include <algorithm>
#include <chrono>
#include <utility>

// Of the allocator; builds with sanitizers have another one.
extern "C" void mi_collect(bool force) __attribute__((weak));

namespace drover {
namespace {

// Not at once: after each return of memory, the next large answers take some milliseconds longer.
constexpr std::chrono::seconds kAfterWork{5};
constexpr std::chrono::milliseconds kWhileBusy{500};

}  // namespace

IdleMemory::IdleMemory(boost::asio::any_io_executor loop, std::vector<work::Pool*> pools,
                       std::function<void()> give_back)
    : timer_(std::move(loop)), pools_(std::move(pools)), give_back_(std::move(give_back)) {
  for (work::Pool* pool : pools_) {
    pool->on_rest([this] { note_rest(); });
  }
}

void IdleMemory::give_back_memory() {
  if (mi_collect != nullptr) mi_collect(true);
}

void IdleMemory::note_rest() {
  if (waits_) return;
  waits_ = true;
  wait(kAfterWork);
}

void IdleMemory::wait(std::chrono::milliseconds time) {
  timer_.expires_after(time);
  timer_.async_wait([this](boost::system::error_code bad) {
    if (bad) return;
    const bool works =
        std::ranges::any_of(pools_, [](const work::Pool* pool) { return pool->running() > 0; });
    if (works) return wait(kWhileBusy);
    waits_ = false;
    for (work::Pool* pool : pools_) pool->on_each_worker(give_back_);
    give_back_();
  });
}

}  // namespace drover
