// The server is the HTTP door: it listens, admits those it may, and keeps every connection's time
// with one timer. Today it listens on the unix socket, where the kernel says who calls.
//
// Lives on the daemon's loop, and must outlive the loop's running: call `close` and let the loop
// run until `done`, so that no request is left half answered.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "api/backing.h"
#include "api/connection.h"
#include "base/fd.h"

namespace drover::api {

class Server {
 public:
  explicit Server(Backing backing);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // From now on clients are answered. A socket that nobody listens on any more is replaced; one
  // that somebody does is a conflict.
  Result<> listen(const std::string& path);

  // Accepts nobody else, ends every wait and stream, lets answers that are under way go out, and
  // calls `done` when the last client is gone, within seconds.
  void close(std::function<void()> done);

  size_t connections() const { return connections_.size(); }

  // Lets go of connections whose time is over. The server's timer calls it; so do tests, with
  // times to come.
  void look(Connection::Time now);

  // For connections.
  Backing& backing() { return backing_; }
  std::string next_request_id();
  void look_again_by(Connection::Time time);
  void let_go(const Connection& connection);

 private:
  using Listener = asio::local::stream_protocol::acceptor;

  asio::awaitable<void> accept_all();
  void admit(asio::local::stream_protocol::socket socket);
  void turn_away(asio::local::stream_protocol::socket socket, const Error& error);
  // Those who wait at the door; would_block once nobody does.
  boost::system::error_code accept_some();
  // The next of them, with the descriptor that is kept for it.
  boost::system::error_code turn_one_away();

  Backing backing_;
  Listener listener_;
  Fd spare_;  // Given up to tell a client that there is no other.
  asio::steady_timer timer_;
  Connection::Time next_look_ = Connection::Time::max();
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> connections_;
  std::string path_;
  std::string id_prefix_;
  std::uint64_t requests_ = 0;
  std::function<void()> done_;
};

}  // namespace drover::api
