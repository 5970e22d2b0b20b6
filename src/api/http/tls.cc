#include "api/http/tls.h"

#include <sys/socket.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/background.h"
#include "base/limits.h"

namespace drover::api {
namespace {

namespace ssl = asio::ssl;
using boost::system::error_code;
constexpr size_t kPiece = 16 * 1024;  // The size of a TLS record.

std::unexpected<Error> bad_tls(const std::string& file, const error_code& bad) {
  return fail(ErrorCode::invalid, "bad_tls",
              file + " cannot be used for TLS: " + bad.message() +
                  "; it must be a PEM file that the daemon can read",
              "listen");
}

}  // namespace

struct Tls::Context {
  ssl::context ssl{ssl::context::tls_server};
};

// One client. Two coroutines and the timer share it; the last of them releases it.
struct Tls::Carried : std::enable_shared_from_this<Carried> {
  Carried(std::shared_ptr<Tls> tls, const asio::any_io_executor& loop, Socket client, Socket near)
      : owner(std::move(tls)),
        secure(std::move(client), owner->context_->ssl),
        plain(std::move(near)),
        timeout(loop) {
    ++owner->carried_;
  }
  ~Carried() { --owner->carried_; }
  Carried(const Carried&) = delete;
  Carried& operator=(const Carried&) = delete;

  // Disconnects the client unless it makes progress within this time.
  void wait_at_most(std::int64_t ms) {
    timeout.expires_after(std::chrono::milliseconds(ms));
    timeout.async_wait([self = shared_from_this()](const error_code& canceled) {
      if (!canceled) self->close();
    });
  }
  void close() {
    error_code ignored;
    secure.lowest_layer().close(ignored);
    plain.close(ignored);
  }

  asio::awaitable<void> run() {
    const auto self = shared_from_this();
    error_code bad;
    wait_at_most(owner->handshake_timeout_ms_);
    co_await secure.async_handshake(ssl::stream_base::server,
                                    asio::redirect_error(asio::use_awaitable, bad));
    timeout.cancel();
    if (bad) co_return close();
    co_spawn(plain.get_executor(), [self]() { return self->carry_in(); }, in_background);
    co_await carry_out();
    // The answer is on its way; do not wait long for the client's close_notify.
    wait_at_most(limits::kLingerMs);
    co_await secure.async_shutdown(asio::redirect_error(asio::use_awaitable, bad));
    timeout.cancel();
    close();
  }

  asio::awaitable<void> carry_in() {
    const auto self = shared_from_this();
    std::array<char, kPiece> piece;
    error_code bad;
    while (!bad) {
      const size_t n = co_await secure.async_read_some(
          asio::buffer(piece), asio::redirect_error(asio::use_awaitable, bad));
      if (bad) break;
      co_await asio::async_write(plain, asio::buffer(piece, n),
                                 asio::redirect_error(asio::use_awaitable, bad));
    }
    // Tells the connection that no more bytes will come.
    plain.shutdown(Socket::shutdown_send, bad);
  }

  asio::awaitable<void> carry_out() {
    std::array<char, kPiece> piece;
    error_code bad;
    while (!bad) {
      const size_t n = co_await plain.async_read_some(
          asio::buffer(piece), asio::redirect_error(asio::use_awaitable, bad));
      if (bad) break;
      wait_at_most(limits::kWriteStallMs);
      co_await asio::async_write(secure, asio::buffer(piece, n),
                                 asio::redirect_error(asio::use_awaitable, bad));
      timeout.cancel();
    }
  }

  std::shared_ptr<Tls> owner;
  ssl::stream<Socket> secure;
  Socket plain;
  asio::steady_timer timeout;
};

Tls::Tls(std::unique_ptr<Context> context) : context_(std::move(context)) {}
Tls::~Tls() = default;

Result<std::shared_ptr<Tls>> Tls::open(const std::string& cert, const std::string& key) {
  auto context = std::make_unique<Context>();
  error_code bad;
  context->ssl.set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                               ssl::context::no_sslv3 | ssl::context::no_tlsv1 |
                               ssl::context::no_tlsv1_1,
                           bad);
  context->ssl.use_certificate_chain_file(cert, bad);
  if (bad) return bad_tls(cert, bad);
  context->ssl.use_private_key_file(key, ssl::context::pem, bad);
  if (bad) return bad_tls(key, bad);
  return std::shared_ptr<Tls>(new Tls(std::move(context)));
}

Result<Tls::Socket> Tls::shield(const asio::any_io_executor& loop, Socket client) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    return fail_errno("the daemon cannot accept the connection", errno);
  }
  const asio::local::stream_protocol unix;
  Socket near(loop, unix, ends[0]);
  Socket far(loop, unix, ends[1]);
  auto carried =
      std::make_shared<Carried>(shared_from_this(), loop, std::move(client), std::move(near));
  co_spawn(loop, [carried]() { return carried->run(); }, in_background);
  return far;
}

}  // namespace drover::api
