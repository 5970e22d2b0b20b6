#include "api/server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <vector>

#include "api/environment.h"
#include "base/background.h"
#include "base/socket_path.h"
#include "log/log.h"

namespace drover::api {
namespace {

using asio::local::stream_protocol;
using boost::system::error_code;
constexpr std::chrono::milliseconds kAcceptAgain{100};
constexpr int kAtOnce = 64;  // Then those who are in get a turn.

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

Server::Server(Backing backing)
    : backing_(std::move(backing)),
      listener_(backing_.loop),
      timer_(backing_.loop),
      id_prefix_("req_" + random_hex(8) + "_") {
  backing_.environment = inheritable(std::move(backing_.environment));
}

Result<> Server::listen(const std::string& path) {
  const auto name = SocketPath::of(path);
  if (!name) return std::unexpected(name.error());
  if (somebody_listens(backing_.loop, name->str())) {
    return fail(ErrorCode::conflict, "already_serving",
                "another daemon answers on " + path + "; stop it first with drover stop", "socket");
  }
  ::unlink(path.c_str());  // What a daemon left behind that did not end well.
  error_code bad;
  listener_.open(stream_protocol(), bad);
  // Before it has a name: nobody else may connect, not even for an instant.
  if (!bad && ::fchmod(listener_.native_handle(), 0600) != 0) {
    return fail_errno("cannot make the socket private", errno);
  }
  if (!bad) listener_.bind(stream_protocol::endpoint(name->str()), bad);
  if (!bad) listener_.listen(asio::socket_base::max_listen_connections, bad);
  if (bad) return fail_errno("cannot listen on " + path, bad.value());
  path_ = path;
  spare_ = open_spare();
  co_spawn(backing_.loop, accept_all(), in_background);
  return {};
}

void Server::close(std::function<void()> done) {
  done_ = std::move(done);
  error_code ignored;
  if (listener_.is_open()) {
    listener_.close(ignored);
    ::unlink(path_.c_str());
  }
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(limits::kLingerMs);
  // A connection may end while it is told.
  std::vector<std::shared_ptr<Connection>> all;
  for (const auto& [key, weak] : connections_) all.push_back(weak.lock());
  for (const auto& connection : all) {
    if (connection) connection->leave(deadline);
  }
  if (connections_.empty() && done_) std::exchange(done_, {})();
}

asio::awaitable<void> Server::accept_all() {
  error_code bad;
  listener_.non_blocking(true, bad);
  while (listener_.is_open()) {
    co_await listener_.async_wait(Listener::wait_read,
                                  asio::redirect_error(asio::use_awaitable, bad));
    if (bad == asio::error::operation_aborted) co_return;
    bad = accept_some();
    if (!bad || bad == asio::error::would_block) continue;
    log::warn("api: cannot accept a connection: {}", bad.message());
    asio::steady_timer pause(backing_.loop, kAcceptAgain);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, bad));
  }
}

error_code Server::accept_some() {
  error_code bad;
  for (int i = 0; i < kAtOnce && !bad; ++i) {
    stream_protocol::socket socket(backing_.loop);
    listener_.accept(socket, bad);
    if (!bad) {
      admit(std::move(socket));
    } else if (bad.value() == EMFILE || bad.value() == ENFILE) {
      bad = turn_one_away();
    }
  }
  return bad;
}

void Server::turn_away(stream_protocol::socket socket, const Error& error) {
  const std::string id = next_request_id();
  const Response response = refuse(error, id);
  const std::string text =
      head_of(response, {.request_id = id, .keep_alive = false}) + response.body;
  error_code ignored;
  socket.write_some(asio::buffer(text), ignored);  // A fresh socket has room for it.
}

error_code Server::turn_one_away() {
  spare_.close();
  error_code bad;
  stream_protocol::socket socket(backing_.loop);
  listener_.accept(socket, bad);
  if (!bad) {
    turn_away(std::move(socket), fail_errno("the daemon cannot take your call", EMFILE).error());
  }
  spare_ = open_spare();
  return bad;
}

void Server::admit(stream_protocol::socket socket) {
  if (!is_owner(socket.native_handle(), backing_.owner)) {
    return turn_away(std::move(socket), {ErrorCode::invalid, "not_the_owner",
                                         "this daemon answers only the user who started it", ""});
  }
  if (connections_.size() >= limits::kConnectionsMax) {
    return turn_away(std::move(socket),
                     {ErrorCode::unavailable, "too_many_connections",
                      "the daemon has " + std::to_string(limits::kConnectionsMax) +
                          " connections already; close some and try again",
                      ""});
  }
  auto connection = std::make_shared<Connection>(*this, Connection::Socket(std::move(socket)));
  connections_.emplace(connection.get(), connection);
  backing_.traffic.connections = connections_.size();
  co_spawn(backing_.loop, [connection]() { return connection->serve(); }, asio::detached);
}

void Server::let_go(const Connection& connection) {
  connections_.erase(&connection);
  backing_.traffic.connections = connections_.size();
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
    if (!bad) look(std::chrono::steady_clock::now());
  });
}

void Server::look(Connection::Time now) {
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
