// A Connection reads requests one after the other, passes each to its handler, and writes the
// answers. It is also the RequestClient of the handler: while a handler waits, the connection
// notices if its client hangs up.
//
// Over TCP a connection begins as a stranger (places.h): the head of its first request must arrive
// in time and authenticate it, before any body is read. A stranger gets one answer, and that from
// the head alone unless the operation is open to anyone.
//
// Lives on the daemon's loop; its own coroutine keeps it alive. It has no timer: the server's timer
// closes every connection whose deadline has passed.
#pragma once

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/places.h"
#include "api/http/request.h"
#include "api/http/request_client.h"
#include "api/http/response.h"

namespace drover::api {

class Server;
struct Arrival;

class Connection final : public RequestClient, public std::enable_shared_from_this<Connection> {
 public:
  using Socket = asio::generic::stream_protocol::socket;
  using Time = std::chrono::steady_clock::time_point;

  // `server` must outlive it. `cut` closes the descriptors of a TLS client that are not `socket`.
  Connection(Server& server, Socket socket, DoorSign door, std::shared_ptr<Place> place,
             std::function<void()> cut = {});

  // Serves until the client closes the connection, breaks a rule, or is disconnected.
  asio::awaitable<void> serve();

  bool gone() const override { return gone_ || leaving_; }
  bool may_return() const override { return broken_ || (leaving_ && !gone_); }
  const DoorSign& door() const { return door_; }

  // The daemon is closing: an idle client is disconnected, and an active one gets its answer first.
  void leave(Time deadline);
  Time deadline() const { return deadline_; }
  void expire();  // The deadline has passed.

  const Place& place() const { return *place_; }
  Time since() const { return since_; }
  // Closes every descriptor of this stranger now: another one needs its place.
  void give_way();

 private:
  friend class ChunkSink;

  void watch(std::function<void()> left) override;
  void arm_watch();
  void on_input();  // Input has arrived while a handler waits: bytes, or the end.
  void notify_gone();

  asio::awaitable<bool> serve_one();
  asio::awaitable<void> receive_head(Arrival& arrival);
  asio::awaitable<void> receive_body(Arrival& arrival, size_t bytes_max);
  // Feeds the parser until the head, or the whole request, is complete. False: it never will be.
  asio::awaitable<bool> feed(Arrival& arrival, bool whole);
  asio::awaitable<bool> refuse_arrival(const Error& error, const std::string& id);
  asio::awaitable<Response> respond(Request& request);
  // Authenticates a TCP caller by the head of its request, and gives it a client's place. False: it
  // stays a stranger. True for everyone on the unix socket.
  asio::awaitable<Result<bool>> authenticate(const Request& request);
  asio::awaitable<bool> read_more();  // False: no more bytes will come.
  asio::awaitable<bool> write(std::string_view bytes);
  asio::awaitable<bool> send(Response& response, const Framing& framing, bool head_only);
  asio::awaitable<void> drop_input();  // Reads and drops the bytes after the last request.

  void wait_at_most(std::int64_t ms);
  void wait_until(Time time);
  void wait_for_ever() { deadline_ = latest(); }
  Time latest() const { return std::min(leave_by_, stranger_by_); }
  // Bytes that were read and are not consumed yet.
  std::string_view unused() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void make_room();
  void mark_gone(const boost::system::error_code& why);

  Server& server_;
  Socket socket_;
  const DoorSign door_;
  std::shared_ptr<Place> place_;
  std::function<void()> cut_;
  const Time since_ = Time::clock::now();
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  Time deadline_ = Time::max();
  Time leave_by_ = Time::max();     // No deadline may be later.
  Time stranger_by_ = Time::max();  // Nor than this, until it has authenticated.
  std::function<void()> left_;
  asio::cancellation_signal stop_watch_;
  bool watching_ = false;
  bool between_ = false;  // Waiting for the first byte of a request.
  bool gone_ = false;
  bool broken_ = false;            // Not closed by the client.
  bool no_write_timeout_ = false;  // Waits forever for a client that reads nothing.
  bool leaving_ = false;
  bool expired_ = false;
};

}  // namespace drover::api
