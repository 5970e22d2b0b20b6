// Tls sits between a TCP client and an ordinary connection: it decrypts the client's bytes and
// encrypts the answers, over a socket pair whose other end is served like any other client. So no
// other code knows of TLS, and all limits of a connection apply. It adds limits for the handshake
// and for a client that does not read.
//
// Lives on the daemon's loop; each client keeps it alive.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/result.h"

namespace drover::api {

namespace asio = boost::asio;

class Tls : public std::enable_shared_from_this<Tls> {
 public:
  using Socket = asio::generic::stream_protocol::socket;

  // PEM files. `bad_tls`: one of them is unusable; the message says which and why.
  static Result<std::shared_ptr<Tls>> open(const std::string& cert, const std::string& key);
  ~Tls();

  // How long a handshake may take, in milliseconds.
  void set_handshake_timeout(std::int64_t ms) { handshake_timeout_ms_ = ms; }

  // Takes over `client`, and returns the plain end of the socket pair.
  Result<Socket> shield(const asio::any_io_executor& loop, Socket client);

  // The number of clients, including those in the handshake or the shutdown.
  size_t carried() const { return carried_; }

 private:
  struct Context;
  struct Carried;
  explicit Tls(std::unique_ptr<Context> context);
  std::unique_ptr<Context> context_;
  std::int64_t handshake_timeout_ms_ = limits::kRequestArriveMs;
  size_t carried_ = 0;
};

}  // namespace drover::api
