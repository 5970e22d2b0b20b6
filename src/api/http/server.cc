#include "api/http/server.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/background.h"
#include "base/socket_path.h"
#include "log/log.h"
#include "process/pid_ref.h"

namespace drover::api {
namespace {

using asio::ip::tcp;
using asio::local::stream_protocol;
using boost::system::error_code;

bool somebody_listens(const asio::any_io_executor& loop, const std::string& path) {
  stream_protocol::socket socket(loop);
  error_code bad;
  socket.connect(stream_protocol::endpoint(path), bad);
  if (bad) return false;
  // A process that a daemon forked right before it died has the socket until its exec.
  ucred listener{};
  socklen_t size = sizeof listener;
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &listener, &size) != 0 ||
      listener.pid <= 0) {
    return true;
  }
  const auto stat = process::look_at(listener.pid);
  return stat && stat->state != 'Z' && stat->state != 'X';
}

}  // namespace

Server::Server(Services services)
    : services_(std::move(services)),
      timer_(services_.loop),
      id_prefix_("req_" + random_hex(8) + "_") {
  services_.open_tcp = [this] { return open_tcp(); };
  reserve_descriptor();
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
  // Its socket was removed: nobody finds the old entrance any more. Clients at its door are let in.
  std::erase_if(entrances_, [&](const std::shared_ptr<Entrance>& old) {
    if (old->path != path) return false;
    accept_some(*old);
    old->listener.close(bad);
    return true;
  });
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

std::string Server::next_request_id() {
  return id_prefix_ + std::to_string(++requests_);
}

void Server::check_deadlines_by(Connection::Time time) {
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
  if (next != Connection::Time::max()) check_deadlines_by(next);
}

}  // namespace drover::api
