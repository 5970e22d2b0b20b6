// The server is the HTTP door: it listens, admits those it may, and keeps every connection's time
// with one timer. It listens on the unix socket, where the kernel says who calls, and when asked to
// on TCP, where a token says it.
//
// Lives on the daemon's loop, and must outlive the loop's running: call `close` and let the loop
// run until `done`, so that no request is left half answered.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/http/connection.h"
#include "api/http/listen_address.h"
#include "api/http/tls.h"
#include "api/services.h"
#include "base/fd.h"

namespace drover::api {

class Server {
 public:
  explicit Server(Services services);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // From now on clients are answered. A socket that nobody listens on any more is replaced; one
  // that somebody does is a conflict.
  Result<> listen(const std::string& path);

  // Also there. `port_busy`: somebody else has it. The address is one that may be listened on.
  Result<> listen_tcp(const ListenAddress& address, std::shared_ptr<Tls> tls = nullptr);
  // The same, where nobody waits for it: what keeps it from being so is logged, and told by status.
  void try_listen_tcp(const ListenAddress& address, std::shared_ptr<Tls> tls);

  // Accepts nobody else, ends every wait and stream, lets answers that are under way go out, and
  // calls `done` when the last client is gone, within seconds.
  void close(std::function<void()> done);

  size_t connections() const { return connections_.size(); }

  // Lets go of connections whose time is over. The server's timer calls it; so do tests, with
  // times to come.
  void look(Connection::Time now);

  // For connections.
  Services& services() { return services_; }
  std::string next_request_id();
  void look_again_by(Connection::Time time);
  void let_go(const Connection& connection);

 private:
  using Protocol = asio::generic::stream_protocol;
  using Listener = asio::basic_socket_acceptor<Protocol>;
  struct Entrance {
    explicit Entrance(const asio::any_io_executor& loop) : listener(loop) {}
    Listener listener;
    DoorSign sign;
    std::shared_ptr<Tls> tls;  // Null: plain.
    std::string path;          // Of a unix socket.
  };

  // `entrance` listens: from now on clients are taken in there.
  void open(std::shared_ptr<Entrance> entrance);
  Result<std::string> open_tcp();
  asio::awaitable<void> accept_all(std::shared_ptr<Entrance> entrance);
  void admit(Protocol::socket socket, const Entrance& entrance);
  void turn_away(Protocol::socket socket, const Error& error);
  // Those who wait at the door; would_block once nobody does.
  boost::system::error_code accept_some(Entrance& entrance);
  // The next of them, with the descriptor that is kept for it.
  boost::system::error_code turn_one_away(Entrance& entrance);

  Services services_;
  std::vector<std::shared_ptr<Entrance>> entrances_;
  Fd spare_;  // Given up to tell a client that there is no other.
  asio::steady_timer timer_;
  Connection::Time next_look_ = Connection::Time::max();
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> connections_;
  size_t from_tcp_ = 0;  // Of them.
  std::string id_prefix_;
  std::uint64_t requests_ = 0;
  std::function<void()> done_;
};

}  // namespace drover::api
