// The socket side of a connection: reading, writing, deadlines, and noticing that the client has
// left while a handler waits.
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <utility>

#include "api/http/connection.h"
#include "api/http/server.h"
#include "base/limits.h"

namespace drover::api {
namespace {

using boost::system::error_code;

constexpr size_t kFirstBuffer = 4 * 1024;  // Most requests fit.
constexpr size_t kLargestBuffer = 2 * limits::kHeaderBytesMax;

}  // namespace

Connection::Connection(Server& server, Socket socket, DoorSign door, std::shared_ptr<Place> place,
                       std::function<void()> cut)
    : server_(server),
      socket_(std::move(socket)),
      door_(door),
      place_(std::move(place)),
      cut_(std::move(cut)) {
  if (place_->holder() == Holder::stranger) {
    stranger_by_ = since_ + std::chrono::milliseconds(limits::kStrangerMs);
  }
}

void Connection::give_way() {
  error_code ignored;
  if (cut_) {
    cut_();
  } else {  // Best effort: a client that waits for nothing does not read it.
    server_.write_refusal(socket_, server_.no_place());
  }
  gone_ = true;
  socket_.close(ignored);
  place_->give_back();
  notify_gone();
}

void Connection::make_room() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ < buffer_.size()) return;
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.end(),
              buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  } else {
    buffer_.resize(std::clamp(buffer_.size() * 2, kFirstBuffer, kLargestBuffer));
  }
}

asio::awaitable<bool> Connection::read_more() {
  make_room();
  if (end_ == buffer_.size()) co_return false;  // The parser refuses a request this large first.
  error_code bad;
  const size_t n =
      co_await socket_.async_read_some(asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
                                       asio::redirect_error(asio::use_awaitable, bad));
  end_ += n;
  // If a body fills the buffer, use a larger one.
  if (end_ == buffer_.size() && buffer_.size() < kLargestBuffer) buffer_.resize(kLargestBuffer);
  if (bad && bad != asio::error::operation_aborted) mark_gone(bad);
  co_return !bad;
}

// A client that closes, or dies, ends its connection; anything else may be a bad network.
void Connection::mark_gone(const error_code& why) {
  gone_ = true;
  broken_ = why != asio::error::eof && why != asio::error::broken_pipe &&
            why != asio::error::connection_reset;
}

asio::awaitable<bool> Connection::write(std::string_view bytes) {
  while (!bytes.empty() && !gone_) {
    error_code bad;
    size_t n = socket_.write_some(asio::buffer(bytes), bad);  // Usually everything fits at once.
    if (bad == asio::error::would_block) {
      if (!no_write_timeout_) wait_at_most(limits::kWriteStallMs);
      co_await socket_.async_wait(Socket::wait_write,
                                  asio::redirect_error(asio::use_awaitable, bad));
      wait_for_ever();
      n = 0;
    }
    if (bad) mark_gone(bad);
    bytes.remove_prefix(n);
  }
  co_return !gone_;
}

// Closing while the client still sends would reset the connection, and the client could lose our
// answer.
asio::awaitable<void> Connection::drop_input() {
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  wait_at_most(limits::kLingerMs);
  do {
    begin_ = end_;
  } while (co_await read_more());
  wait_for_ever();
}

void Connection::wait_at_most(std::int64_t ms) {
  wait_until(Time::clock::now() + std::chrono::milliseconds(ms));
}

void Connection::wait_until(Time time) {
  deadline_ = std::min(time, latest());
  server_.check_deadlines_by(deadline_);
}

void Connection::expire() {
  expired_ = true;
  deadline_ = Time::max();
  error_code ignored;
  socket_.cancel(ignored);
}

void Connection::leave(Time deadline) {
  leaving_ = true;
  leave_by_ = deadline;
  deadline_ = std::min(deadline_, deadline);
  server_.check_deadlines_by(deadline_);
  error_code ignored;
  if (between_) socket_.cancel(ignored);
  notify_gone();
}

void Connection::watch(std::function<void()> left) {
  left_ = std::move(left);
  if (left_ && !watching_) arm_watch();
  if (!left_ && watching_) stop_watch_.emit(asio::cancellation_type::terminal);
}

void Connection::arm_watch() {
  watching_ = true;
  socket_.async_wait(Socket::wait_read,
                     asio::bind_cancellation_slot(
                         stop_watch_.slot(), [self = shared_from_this()](const error_code& bad) {
                           self->watching_ = false;
                           if (!self->left_) return;
                           // Canceled, and armed again before this callback ran.
                           if (bad) return self->arm_watch();
                           self->on_input();
                         }));
}

void Connection::on_input() {
  make_room();
  if (end_ == buffer_.size()) return;  // The client has sent enough ahead; handle that first.
  const ssize_t n =
      ::recv(socket_.native_handle(), buffer_.data() + end_, buffer_.size() - end_, MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
    mark_gone(n == 0 ? asio::error::eof : error_code(errno, boost::system::system_category()));
    return notify_gone();
  }
  if (n > 0) end_ += static_cast<size_t>(n);
  arm_watch();
}

void Connection::notify_gone() {
  if (const auto left = std::exchange(left_, {})) left();
}

}  // namespace drover::api
