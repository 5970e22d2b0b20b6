#include "api/http/tls.h"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
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
  std::atomic<std::int64_t> handshake_timeout_ms = limits::kStrangerMs;
  std::atomic<size_t> carried = 0;
};

// One client. Two coroutines and the timer share it; the last of them releases it. Lives on the
// thread of its Tls; its place lives on the loop.
struct Tls::Carried : std::enable_shared_from_this<Carried> {
  Carried(std::shared_ptr<Context> of, const asio::any_io_executor& its_loop, Socket client,
          Socket near, std::shared_ptr<Place> its_place)
      : context(std::move(of)),
        loop(its_loop),
        pending(its_loop),
        place(std::move(its_place)),
        handshake_timeout_ms(context->handshake_timeout_ms),
        secure(std::move(client), context->ssl),
        plain(std::move(near)),
        timeout(plain.get_executor()) {
    ++context->carried;
  }
  ~Carried() {
    --context->carried;
    asio::post(loop, [its_place = std::move(place), until_now = std::move(pending)] {});
  }
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
    wait_at_most(handshake_timeout_ms);
    co_await secure.async_handshake(ssl::stream_base::server,
                                    asio::redirect_error(asio::use_awaitable, bad));
    timeout.cancel();
    if (bad) co_return close();
    asio::post(loop, [its_place = place] { its_place->finish_handshake(); });
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

  std::shared_ptr<Context> context;
  asio::any_io_executor loop;
  asio::executor_work_guard<asio::any_io_executor> pending;
  std::shared_ptr<Place> place;
  const std::int64_t handshake_timeout_ms;  // As it was when the client came.
  ssl::stream<Socket> secure;
  Socket plain;
  asio::steady_timer timeout;
};

Tls::Tls(std::shared_ptr<Context> context) : context_(std::move(context)) {}

Tls::~Tls() {
  if (!thread_) return;
  thread_->stop();
  thread_->join();
}

void Tls::set_handshake_timeout(std::int64_t ms) {
  context_->handshake_timeout_ms = ms;
}

size_t Tls::carried() const {
  return context_->carried;
}

Result<std::shared_ptr<Tls>> Tls::open(const std::string& cert, const std::string& key) {
  auto context = std::make_shared<Context>();
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

Result<Tls::Shielded> Tls::shield(const asio::any_io_executor& loop, Socket client,
                                  std::shared_ptr<Place> place) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    return fail_errno("the daemon cannot accept the connection", errno);
  }
  const asio::local::stream_protocol unix;
  if (!thread_) thread_.emplace(1);
  const auto thread = thread_->get_executor();
  Socket near(thread, unix, ends[0]);
  Socket far(loop, unix, ends[1]);
  // A socket belongs to one executor; its descriptor can move to another.
  error_code bad;
  const auto protocol = client.local_endpoint(bad).protocol();
  Socket moved(thread, protocol, client.release());
  auto carried = std::make_shared<Carried>(context_, loop, std::move(moved), std::move(near),
                                           std::move(place));
  co_spawn(thread, [carried]() { return carried->run(); }, in_background);
  return Shielded{.plain = std::move(far), .cut = [thread, weak = std::weak_ptr(carried)] {
                    asio::post(thread, [weak] {
                      if (const auto alive = weak.lock()) alive->close();
                    });
                  }};
}

}  // namespace drover::api
