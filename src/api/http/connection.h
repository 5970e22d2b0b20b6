// A Connection reads requests one after the other, passes each to its handler, and writes the
// answers. It is also the handler's Caller: while a handler waits, the connection notices if its
// client hangs up.
//
// Lives on the daemon's loop; its own coroutine keeps it alive. It needs no timer of its own: it
// tells the server its deadline.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/caller.h"
#include "api/http/request.h"
#include "api/http/response.h"

namespace drover::api {

class Server;

class Connection final : public Caller, public std::enable_shared_from_this<Connection> {
 public:
  using Socket = asio::generic::stream_protocol::socket;
  using Time = std::chrono::steady_clock::time_point;

  // `server` must outlive it.
  Connection(Server& server, Socket socket, DoorSign door)
      : server_(server), socket_(std::move(socket)), door_(door) {}

  // Serves until the client closes the connection, breaks a rule, or is disconnected.
  asio::awaitable<void> serve();

  bool gone() const override { return gone_ || leaving_; }
  bool may_return() const override { return broken_ || (leaving_ && !gone_); }
  const DoorSign& door() const { return door_; }

  // The daemon is closing: an idle client is disconnected, and an active one gets its answer first.
  void leave(Time deadline);
  Time deadline() const { return deadline_; }
  void expire();  // The deadline has passed.

 private:
  friend class ChunkSink;
  struct Arrival;

  void watch(std::function<void()> left) override;
  void arm_watch();
  void on_input();  // Input has arrived while a handler waits: bytes, or the end.
  void tell_left();

  asio::awaitable<bool> serve_one();
  asio::awaitable<void> receive(Arrival& arrival);
  asio::awaitable<bool> read_more();  // False: no more bytes will come.
  asio::awaitable<bool> write(std::string_view bytes);
  asio::awaitable<bool> send(Response& response, const Framing& framing, bool head_only);
  asio::awaitable<void> drop_input();  // Reads and drops the bytes behind the last request.

  void wait_at_most(std::int64_t ms);
  void wait_for_ever() { deadline_ = leave_by_; }
  // Bytes that were read and are not consumed yet.
  std::string_view unused() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void make_room();
  void lose(const boost::system::error_code& why);

  Server& server_;
  Socket socket_;
  const DoorSign door_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  Time deadline_ = Time::max();
  Time leave_by_ = Time::max();  // No deadline may be later.
  std::function<void()> left_;
  asio::cancellation_signal stop_watch_;
  bool watching_ = false;
  bool between_ = false;  // Waiting for the first byte of a request.
  bool gone_ = false;
  bool broken_ = false;   // Not closed by the client.
  bool patient_ = false;  // Waits for ever for a client that reads nothing.
  bool leaving_ = false;
  bool expired_ = false;
};

}  // namespace drover::api
