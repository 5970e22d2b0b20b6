// How the server accepts clients, as far as there are places for them, and refuses the others.
#include <fcntl.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>

#include "api/http/server.h"
#include "log/log.h"

namespace drover::api {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kAcceptAgain{100};
constexpr int kAtOnce = 64;  // Then existing clients get a turn.

bool is_owner(int socket, uid_t owner) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == owner;
}

}  // namespace

void Server::reserve_descriptor() {
  spare_ = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
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
  write_refusal(socket, error);
}

void Server::write_refusal(Connection::Socket& socket, const Error& error) {
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
  reserve_descriptor();
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
  std::shared_ptr<Place> place = find_place(entrance);
  if (!place) {
    if (entrance.tls) return;  // An answer would need the handshake.
    return turn_away(std::move(socket), no_place());
  }
  std::function<void()> cut;
  if (entrance.tls) {
    auto shielded = entrance.tls->shield(services_.loop, std::move(socket), place);
    if (!shielded) return log::warn("api: {}", shielded.error().message);
    socket = std::move(shielded->plain);
    cut = std::move(shielded->cut);
  }
  auto connection = std::make_shared<Connection>(*this, std::move(socket), sign, std::move(place),
                                                 std::move(cut));
  connections_.emplace(connection.get(), connection);
  services_.traffic.connections = connections_.size();
  co_spawn(services_.loop, [connection]() { return connection->serve(); }, asio::detached);
}

Budget Server::budget() const {
  return budget_for(services_.descriptors_max != 0 ? services_.descriptors_max
                                                   : descriptor_limit());
}

Error Server::no_place() const {
  return {ErrorCode::unavailable, "too_many_connections",
          "the daemon has " + std::to_string(connections_.size()) +
              " connections already; close some and try again",
          ""};
}

std::shared_ptr<Place> Server::find_place(const Entrance& entrance) {
  const Budget most = budget();
  const bool handshake = entrance.tls != nullptr;
  const size_t cost = handshake ? kTlsDescriptors : 1;
  if (!entrance.sign.tcp) {
    if (!places_->has_room(Holder::owner, cost, most)) return nullptr;
    return places_->take(Holder::owner, cost, false);
  }
  if (handshake && !places_->has_room_for_handshake(cost, most) && !replace_stranger(true)) {
    return nullptr;
  }
  if (!places_->has_room(Holder::stranger, cost, most) &&
      !(replace_stranger(false) && places_->has_room(Holder::stranger, cost, most))) {
    return nullptr;
  }
  return places_->take(Holder::stranger, cost, handshake);
}

bool Server::replace_stranger(bool in_handshake) {
  std::shared_ptr<Connection> first;
  for (const auto& [key, weak] : connections_) {
    const auto connection = weak.lock();
    if (!connection || connection->gone()) continue;
    const Place& place = connection->place();
    if (place.holder() != Holder::stranger || (in_handshake && !place.in_handshake())) continue;
    if (!first || connection->since() < first->since()) first = connection;
  }
  const auto turn = std::chrono::milliseconds(services_.stranger_turn_ms);
  if (!first || Connection::Time::clock::now() - first->since() < turn) return false;
  first->give_way();
  return true;
}

void Server::forget(const Connection& connection) {
  connections_.erase(&connection);
  services_.traffic.connections = connections_.size();
  if (connections_.empty() && done_) std::exchange(done_, {})();
}

}  // namespace drover::api
