#include "store/single_finds.h"

#include <algorithm>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iterator>
#include <utility>

#include "base/background.h"

namespace drover::store {

struct SingleFinds::Waiting {
  WantedRun wanted;
  std::move_only_function<void(FoundRun)> done;
};

namespace {

FoundRun find_record(Reads& store, const RunId& id) {
  auto record = store.find(id);
  if (!record) return std::unexpected(record.error());
  if (!*record) return std::nullopt;
  return StoredRun{.record = std::move(**record)};
}

}  // namespace

FoundRuns find_all(Reads& store, const std::vector<WantedRun>& wanted) {
  std::vector<FoundRun> all;
  for (const WantedRun& one : wanted) {
    FoundRun found = one.or_deleted ? find_stored_run(store, one.id) : find_record(store, one.id);
    // The whole read fails, or was interrupted.
    if (!found && found.error().code != ErrorCode::corrupt) return std::unexpected(found.error());
    all.push_back(std::move(found));
  }
  return all;
}

SingleFinds::SingleFinds(asio::any_io_executor loop, AskAll ask)
    : loop_(std::move(loop)), ask_(std::move(ask)) {}

SingleFinds::~SingleFinds() = default;

asio::awaitable<FoundRun> SingleFinds::find(WantedRun wanted) {
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(FoundRun)>(
      [this](auto handler, WantedRun one) {
        waiting_.push_back({.wanted = one, .done = std::move(handler)});
        if (!std::exchange(asking_, true)) asio::co_spawn(loop_, answer_all(), in_background);
      },
      asio::use_awaitable, wanted);
}

asio::awaitable<void> SingleFinds::answer_all() {
  while (!waiting_.empty()) {
    const size_t most = std::min(waiting_.size(), kSingleFindsMax);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(most);
    std::vector<Waiting> batch(std::move_iterator(waiting_.begin()), std::move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    std::vector<WantedRun> wanted;
    for (const Waiting& one : batch) wanted.push_back(one.wanted);
    auto found = co_await ask_(std::move(wanted));
    for (size_t i = 0; i < batch.size(); ++i) {
      FoundRun one = found ? std::move((*found)[i]) : FoundRun(std::unexpected(found.error()));
      // Posted: a caller's exception is its own.
      asio::post(loop_, [done = std::move(batch[i].done), one = std::move(one)]() mutable {
        done(std::move(one));
      });
    }
  }
  asking_ = false;
}

}  // namespace drover::store
