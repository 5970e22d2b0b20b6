#include "api/http/server.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <vector>

#include "api/runs/environment.h"
#include "base/background.h"
#include "base/socket_path.h"
#include "log/log.h"

namespace drover::api {
namespace {

using asio::ip::tcp;
using asio::local::stream_protocol;
using boost::system::error_code;
constexpr std::chrono::milliseconds kAcceptAgain{100};
constexpr int kAtOnce = 64;  // Then existing clients get a turn.

Fd open_spare() {
  return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

bool somebody_listens(const asio::any_io_executor& loop, const std::string& path) {
  stream_protocol::socket socket(loop);
  error_code bad;
  socket.connect(stream_protocol::endpoint(path), bad);
  return !bad;
}

bool is_owner(int socket, uid_t owner) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == owner;
}

}  // namespace

Server::Server(Services services)
    : services_(std::move(services)),
      timer_(services_.loop),
      id_prefix_("req_" + random_hex(8) + "_") {
  services_.environment = inheritable(std::move(services_.environment));
  services_.open_tcp = [this] { return open_tcp(); };
  spare_ = open_spare();
}

Result<> Server::listen(const std::string& path) {
  const auto name = SocketPath::of(path);
  if (!name) return std::unexpected(name.error());
  if (somebody_listens(services_.loop, name->str())) {
    return fail(ErrorCode::conflict, "already_serving",
                "another daemon answers on " + path + "; stop it first with drover stop", "socket");
  }
  ::unlink(path.c_str());  // Left behind by a daemon that crashed.
  auto entrance = std::make_shared<Entrance>(services_.loop);
  Listener& listener = entrance->listener;
  error_code bad;
  listener.open(stream_protocol(), bad);
  // Set permissions before bind: other users must never be able to connect.
  if (!bad && ::fchmod(listener.native_handle(), 0600) != 0) {
    return fail_errno("cannot make the socket private", errno);
  }
  if (!bad) listener.bind(stream_protocol::endpoint(name->str()), bad);
  if (!bad) listener.listen(asio::socket_base::max_listen_connections, bad);
  if (bad) return fail_errno("cannot listen on " + path, bad.value());
  entrance->path = path;
  open(std::move(entrance));
  return {};
}

Result<> Server::listen_tcp(const config::ListenAddress& address, std::shared_ptr<Tls> tls) {
  auto entrance = std::make_shared<Entrance>(services_.loop);
  Listener& listener = entrance->listener;
  error_code bad;
  const tcp::endpoint wanted(asio::ip::make_address(address.host, bad), address.port);
  if (!bad) listener.open(wanted.protocol(), bad);
  if (!bad) listener.set_option(asio::socket_base::reuse_address(true), bad);
  if (!bad) listener.bind(wanted, bad);
  if (!bad) listener.listen(asio::socket_base::max_listen_connections, bad);
  const std::string there = address.host + ":" + std::to_string(address.port);
  if (bad == asio::error::address_in_use) {
    return fail(ErrorCode::conflict, "port_busy",
                "another program is listening on " + there + "; choose another port", "listen");
  }
  if (bad) return fail_errno("cannot listen on " + there, bad.value());
  const Protocol::endpoint bound = listener.local_endpoint(bad);
  sockaddr_storage name{};
  std::memcpy(&name, bound.data(), std::min(bound.size(), sizeof name));
  const auto port = name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(name).sin6_port
                                               : reinterpret_cast<sockaddr_in&>(name).sin_port;
  entrance->sign = {.tcp = true, .secure = tls != nullptr, .port = ntohs(port)};
  entrance->tls = std::move(tls);
  services_.tcp_url = address.url(entrance->sign.secure, entrance->sign.port);
  services_.tcp_trouble.clear();
  log::info("listening on {}", services_.tcp_url);
  open(std::move(entrance));
  return {};
}

void Server::try_listen_tcp(const config::ListenAddress& address, std::shared_ptr<Tls> tls) {
  const auto listening = listen_tcp(address, std::move(tls));
  if (listening) return;
  log::warn("{}", listening.error().message);
  services_.tcp_trouble = listening.error().message;
}

Result<std::string> Server::open_tcp() {
  config::ListenAddress address;
  for (int tries = 1; services_.tcp_url.empty(); ++tries, ++address.port) {
    auto listening = listen_tcp(address);
    if (listening || (listening.error().reason == "port_busy" && tries < limits::kPortsTried)) {
      continue;
    }
    return std::unexpected(listening.error());
  }
  return services_.tcp_url;
}

void Server::open(std::shared_ptr<Entrance> entrance) {
  entrances_.push_back(entrance);
  co_spawn(services_.loop, accept_all(std::move(entrance)), in_background);
}

void Server::close(std::function<void()> done) {
  done_ = std::move(done);
  error_code ignored;
  for (const auto& entrance : std::exchange(entrances_, {})) {
    entrance->listener.close(ignored);
    if (!entrance->path.empty()) ::unlink(entrance->path.c_str());
  }
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(limits::kLingerMs);
  // A connection may end inside the call.
  std::vector<std::shared_ptr<Connection>> all;
  for (const auto& [key, weak] : connections_) all.push_back(weak.lock());
  for (const auto& connection : all) {
    if (connection) connection->leave(deadline);
  }
  if (connections_.empty() && done_) std::exchange(done_, {})();
}

asio::awaitable<void> Server::accept_all(std::shared_ptr<Entrance> entrance) {
  Listener& listener = entrance->listener;
  error_code bad;
  listener.non_blocking(true, bad);
  while (listener.is_open()) {
    co_await listener.async_wait(Listener::wait_read,
                                 asio::redirect_error(asio::use_awaitable, bad));
    if (bad == asio::error::operation_aborted) co_return;
    bad = accept_some(*entrance);
    if (!bad || bad == asio::error::would_block) continue;
    log::warn("api: cannot accept a connection: {}", bad.message());
    asio::steady_timer pause(services_.loop, kAcceptAgain);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, bad));
  }
}

error_code Server::accept_some(Entrance& entrance) {
  error_code bad;
  for (int i = 0; i < kAtOnce && !bad; ++i) {
    Protocol::socket socket(services_.loop);
    entrance.listener.accept(socket, bad);
    if (!bad) {
      admit(std::move(socket), entrance);
    } else if (bad.value() == EMFILE || bad.value() == ENFILE) {
      bad = refuse_one(entrance);
    }
  }
  return bad;
}

void Server::turn_away(Protocol::socket socket, const Error& error) {
  const std::string id = next_request_id();
  const Response response = refuse(error, id);
  const std::string text =
      head_of(response, {.request_id = id, .keep_alive = false}) + response.body;
  error_code ignored;
  socket.write_some(asio::buffer(text), ignored);  // It fits into a fresh socket's buffer.
}

error_code Server::refuse_one(Entrance& entrance) {
  spare_.close();
  error_code bad;
  Protocol::socket socket(services_.loop);
  entrance.listener.accept(socket, bad);
  if (!bad) {
    turn_away(std::move(socket),
              fail_errno("the daemon cannot accept the connection", EMFILE).error());
  }
  spare_ = open_spare();
  return bad;
}

void Server::admit(Protocol::socket socket, const Entrance& entrance) {
  const DoorSign& sign = entrance.sign;
  if (!sign.tcp && !is_owner(socket.native_handle(), services_.owner)) {
    return turn_away(std::move(socket), {ErrorCode::invalid, "not_the_owner",
                                         "this daemon answers only the user who started it", ""});
  }
  if (sign.tcp) {
    error_code ignored;
    // An answer is one write; there is nothing to combine it with.
    socket.set_option(tcp::no_delay(true), ignored);
    // A client whose machine is gone is noticed within hours, also while a stream is silent.
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
  }
  // Keep a quarter for the unix socket: TCP clients that hold connections must not lock the owner
  // out. A TLS client counts more than its connection: the handshake and the shutdown are included.
  const size_t most = services_.connections_max;
  const size_t strangers = entrance.tls ? std::max(from_tcp_, entrance.tls->carried()) : from_tcp_;
  if (connections_.size() >= most || (sign.tcp && strangers >= most - most / 4)) {
    if (entrance.tls) return;  // An answer would need the handshake.
    return turn_away(std::move(socket), {ErrorCode::unavailable, "too_many_connections",
                                         "the daemon has " + std::to_string(connections_.size()) +
                                             " connections already; close some and try again",
                                         ""});
  }
  if (entrance.tls) {
    auto shielded = entrance.tls->shield(services_.loop, std::move(socket));
    if (!shielded) return log::warn("api: {}", shielded.error().message);
    socket = std::move(*shielded);
  }
  auto connection = std::make_shared<Connection>(*this, std::move(socket), sign);
  connections_.emplace(connection.get(), connection);
  if (sign.tcp) ++from_tcp_;
  services_.traffic.connections = connections_.size();
  co_spawn(services_.loop, [connection]() { return connection->serve(); }, asio::detached);
}

void Server::let_go(const Connection& connection) {
  connections_.erase(&connection);
  if (connection.door().tcp) --from_tcp_;
  services_.traffic.connections = connections_.size();
  if (connections_.empty() && done_) std::exchange(done_, {})();
}

std::string Server::next_request_id() {
  return id_prefix_ + std::to_string(++requests_);
}

void Server::look_again_by(Connection::Time time) {
  if (time >= next_look_) return;
  next_look_ = time;
  timer_.expires_at(time);
  timer_.async_wait([this](const error_code& bad) {
    if (!bad) close_overdue(std::chrono::steady_clock::now());
  });
}

void Server::close_overdue(Connection::Time now) {
  next_look_ = Connection::Time::max();
  auto next = Connection::Time::max();
  for (const auto& [key, weak] : connections_) {
    const auto connection = weak.lock();
    if (!connection) continue;
    if (connection->deadline() <= now) {
      connection->expire();
    } else {
      next = std::min(next, connection->deadline());
    }
  }
  if (next != Connection::Time::max()) look_again_by(next);
}

}  // namespace drover::api
