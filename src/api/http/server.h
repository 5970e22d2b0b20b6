// The Server is the HTTP server: it listens, admits callers as far as there are places for them
// (places.h), and watches the deadline of every connection with one timer. It listens on the unix
// socket, where the kernel identifies the caller, and on request on TCP, where a token does.
//
// Lives on the daemon's loop and must outlive it: call `close` and run the loop until `done` is
// called, so that every request gets its whole answer.
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
#include "api/http/places.h"
#include "api/http/tls.h"
#include "api/services.h"
#include "base/fd.h"
#include "config/listen_address.h"

namespace drover::api {

class Server {
 public:
  explicit Server(Services services);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Starts to answer clients. A stale socket is replaced; a socket on which another process listens
  // is a conflict. Called again after the socket was removed, it creates another.
  Result<> listen(const std::string& path);

  // Also listens on TCP. `port_busy`: another process uses the port. The address must have passed
  // check_exposure.
  Result<> listen_tcp(const config::ListenAddress& address, std::shared_ptr<Tls> tls = nullptr);
  // The same without a caller who waits for the result: logs a failure, and the status shows it.
  void try_listen_tcp(const config::ListenAddress& address, std::shared_ptr<Tls> tls);

  // Accepts no more clients, ends every wait and stream, finishes answers in progress, and calls
  // `done` when the last client is gone, within seconds.
  void close(std::function<void()> done);

  size_t connections() const { return connections_.size(); }

  // Closes connections whose deadline has passed. The server's timer calls it; tests call it with a
  // time in the future.
  void close_overdue(Connection::Time now);

  // Used by connections.
  Services& services() { return services_; }
  std::string next_request_id();
  void check_deadlines_by(Connection::Time time);
  void forget(const Connection& connection);
  Budget budget() const;
  Error no_place() const;
  // Tries to write the error; a fresh socket has room for it.
  void write_refusal(Connection::Socket& socket, const Error& error);

 private:
  using Protocol = asio::generic::stream_protocol;
  using Listener = asio::basic_socket_acceptor<Protocol>;
  struct Entrance {
    explicit Entrance(const asio::any_io_executor& loop) : listener(loop) {}
    Listener listener;
    DoorSign sign;
    std::shared_ptr<Tls> tls;  // Null: no TLS.
    std::string path;          // Of a unix socket.
  };

  // Accepts clients on `entrance` from now on.
  void open(std::shared_ptr<Entrance> entrance);
  Result<std::string> open_tcp();
  // Accepting and refusing clients: server_admission.cc.
  void reserve_descriptor();
  asio::awaitable<void> accept_all(std::shared_ptr<Entrance> entrance);
  void admit(Protocol::socket socket, const Entrance& entrance);
  void turn_away(Protocol::socket socket, const Error& error);
  // A place for a new connection, which may be that of a stranger who came earlier. Null: none.
  std::shared_ptr<Place> find_place(const Entrance& entrance);
  // Disconnects the stranger that came first, among those in a handshake or among all, if it had
  // its time. False: there is none.
  bool replace_stranger(bool in_handshake);
  // Accepts all pending clients; would_block once there are no more.
  boost::system::error_code accept_some(Entrance& entrance);
  // Accepts the next client with the reserved descriptor, and refuses it.
  boost::system::error_code refuse_one(Entrance& entrance);

  Services services_;
  std::vector<std::shared_ptr<Entrance>> entrances_;
  Fd spare_;  // Reserved, to be able to refuse a client when no descriptor is left.
  asio::steady_timer timer_;
  Connection::Time next_look_ = Connection::Time::max();
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> connections_;
  std::shared_ptr<Places> places_ = std::make_shared<Places>();
  std::string id_prefix_;
  std::uint64_t requests_ = 0;
  std::function<void()> done_;
};

}  // namespace drover::api
