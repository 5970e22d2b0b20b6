#include "dispatch/recovery/keeper_watch.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "base/background.h"
#include "process/pid_ref.h"

namespace drover::dispatch {
namespace {

// A keeper records its start time only after a few milliseconds; most exit sooner.
constexpr std::chrono::milliseconds kLookAgain{5};

asio::awaitable<void> wait_until_gone(asio::any_io_executor loop, std::string file) {
  boost::system::error_code error;
  while (true) {
    const auto journal = read_journal_state(file);
    if (journal && journal->liveness != Liveness::alive) co_return;
    Fd pidfd;  // An unreadable journal says nothing about its keeper: look again.
    if (journal && journal->text.identity)
      pidfd = process::open_process(journal->text.identity->keeper);
    if (pidfd) {
      asio::posix::stream_descriptor keeper(loop, pidfd.release());
      co_await keeper.async_wait(asio::posix::stream_descriptor::wait_read,
                                 asio::redirect_error(asio::use_awaitable, error));
    } else {
      asio::steady_timer timer(loop, kLookAgain);
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
  }
}

}  // namespace

void KeeperWatch::watch(const RunId& id) {
  asio::co_spawn(
      loop_,
      [](asio::any_io_executor loop, std::string file, RunId run,
         std::shared_ptr<OnGone> on_gone) -> asio::awaitable<void> {
        co_await wait_until_gone(loop, std::move(file));
        (*on_gone)(run);
      }(loop_, home_.run_file(id), id, on_gone_),
      in_background);
}

}  // namespace drover::dispatch
