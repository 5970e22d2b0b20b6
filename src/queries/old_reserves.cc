#include "queries/old_reserves.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/limits.h"
#include "base/output_segments.h"
#include "log/log.h"

namespace drover::queries {
namespace {

// Between two pages, because nobody waits for this: 100,000 runs take two minutes.
constexpr std::chrono::milliseconds kPause{100};

asio::awaitable<void> pause(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace

asio::awaitable<void> remove_old_reserves(ExactReaders& readers, store::ReadPool& reads,
                                          Home home) {
  co_await pause(readers.timeouts().reader_away);
  std::optional<std::int64_t> before;
  while (true) {
    const store::Query query{
        .finished_only = true, .before = before, .limit = limits::kPageDefault};
    const auto page = co_await reads.ask(
        store::daemon_itself(), [query](store::Reads& store) { return store.list(query); });
    if (!page) {
      log::warn("cannot look for output kept for readers: {}", page.error().message);
      co_return;
    }
    for (const run::Record& record : *page) {
      before = record.number;
      const auto printed = static_cast<std::uint64_t>(record.stdout_bytes + record.stderr_bytes);
      if (printed > limits::kOutputLimitMin && !readers.may_have_reader(record.id)) {
        remove_reserve(home.run_directory(record.id));
      }
    }
    if (page->size() < limits::kPageDefault) co_return;
    co_await pause(std::min(kPause, readers.timeouts().reader_away));
  }
}

}  // namespace drover::queries
