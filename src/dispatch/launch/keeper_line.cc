#include "dispatch/launch/keeper_line.h"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>

#include "base/journal.h"
#include "process/pid_ref.h"

namespace drover::dispatch {
namespace {

constexpr std::chrono::milliseconds kTryAgain{3};
constexpr std::chrono::seconds kPatience{3};
constexpr int kFailedBeforeReminder = 10;  // A keeper that has just started listens sooner.

std::string encode(process::ControlOp op, std::int64_t argument, const std::string& payload) {
  const process::ControlMessage message{
      .op = op, .payload_bytes = static_cast<std::uint32_t>(payload.size()), .argument = argument};
  std::string bytes(reinterpret_cast<const char*>(&message), sizeof message);
  return bytes + payload;
}

}  // namespace

asio::awaitable<Result<int>> KeeperLine::send(RunId id, process::ControlOp op,
                                              std::int64_t argument, std::string payload,
                                              std::function<bool()> is_live) {
  using std::chrono::steady_clock;
  using Descriptor = asio::posix::stream_descriptor;
  const std::string bytes = encode(op, argument, payload);
  const auto deadline = steady_clock::now() + kPatience;
  boost::system::error_code error;
  asio::steady_timer timer(loop_);
  int failed = 0;
  while (is_live()) {
    if (steady_clock::now() >= deadline) co_return ETIMEDOUT;
    auto fd = process::connect_control(home_.controls(), id.view());
    if (fd && *fd &&
        ::send(fd->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size())) {
      const auto socket = std::make_shared<Descriptor>(loop_, fd->release());
      asio::steady_timer limit(loop_, deadline);
      limit.async_wait([socket](boost::system::error_code canceled) {
        if (!canceled) socket->cancel();
      });
      process::ControlAnswer answer;
      ssize_t got = -1;
      do {  // A wait may end spuriously: that is neither an answer nor an error.
        co_await socket->async_wait(Descriptor::wait_read,
                                    asio::redirect_error(asio::use_awaitable, error));
        got = ::recv(socket->native_handle(), &answer, sizeof answer, MSG_DONTWAIT);
      } while (!error && got < 0 && (errno == EAGAIN || errno == EINTR));
      if (got == static_cast<ssize_t>(sizeof answer)) co_return answer.error_number;
      // It exited before it could answer. Everything but input may be repeated.
      if (op == process::ControlOp::input) co_return ESRCH;
    }
    if (++failed == kFailedBeforeReminder) remind(id);
    timer.expires_after(kTryAgain);
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
  co_return ESRCH;
}

// Its socket may have been removed with its directory: on SIGHUP it creates another. A keeper of an
// earlier release blocks the signal; one that does not listen yet has no start time on record, and
// is not signaled.
void KeeperLine::remind(const RunId& id) const {
  const auto journal = read_journal_state(home_.run_file(id));
  if (!journal || journal->liveness != Liveness::alive || !journal->text.identity) return;
  (void)process::send_signal(journal->text.identity->keeper, SIGHUP);
}

void KeeperLine::hang_up(const RunId& id) const {
  const std::string socket = home_.controls() + "/" + std::string(process::control_name(id.view()));
  ::unlink(socket.c_str());
  ::unlink((socket + ".new").c_str());  // It died before the socket was renamed.
}

}  // namespace drover::dispatch
