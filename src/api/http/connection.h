// A connection reads requests one after the other, has each answered, and writes the answers. It
// is also the caller that handlers may ask after: while one waits, the connection listens whether
// its client hangs up.
//
// Lives on the daemon's loop; kept alive by its own coroutine. Waiting costs no timer of its own:
// it tells the server by when it wants to be looked at.
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

  // Until the client leaves, breaks a rule, or is asked to leave.
  asio::awaitable<void> serve();

  bool gone() const override { return gone_ || leaving_; }
  const DoorSign& door() const { return door_; }

  // The daemon closes: a waiting client is let go, one that is being answered gets its answer.
  void leave(Time deadline);
  Time deadline() const { return deadline_; }
  void expire();  // The deadline has passed.

 private:
  friend class ChunkSink;
  struct Arrival;

  void watch(std::function<void()> left) override;
  void arm_watch();
  void look();  // Something came in while a handler waits: bytes, or the end.
  void tell_left();

  asio::awaitable<bool> serve_one();
  asio::awaitable<void> receive(Arrival& arrival);
  asio::awaitable<bool> read_more();  // False: nothing more will come.
  asio::awaitable<bool> write(std::string_view bytes);
  asio::awaitable<bool> send(Response& response, const Framing& framing, bool head_only);
  asio::awaitable<void> hear_out();  // Reads, and drops, what comes behind the last answer.

  void wait_at_most(std::int64_t ms);
  void wait_for_ever() { deadline_ = leave_by_; }
  // Bytes that were read and not yet used.
  std::string_view unused() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void make_room();

  Server& server_;
  Socket socket_;
  const DoorSign door_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  Time deadline_ = Time::max();
  Time leave_by_ = Time::max();  // No patience goes beyond it.
  std::function<void()> left_;
  asio::cancellation_signal stop_watch_;
  bool watching_ = false;
  bool between_ = false;  // Waiting for a request that has not begun.
  bool gone_ = false;
  bool leaving_ = false;
  bool expired_ = false;
};

}  // namespace drover::api
