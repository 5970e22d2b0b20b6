// Tls stands between a TCP client and an ordinary connection: it decrypts what comes and encrypts
// what goes, over a socket pair whose other end is served like any other client. So nothing else
// knows of it, and all limits of a connection hold; it adds its own for the handshake and for a
// client that takes nothing.
//
// Lives on the daemon's loop; a client that is being carried keeps it alive.
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

  // PEM files. `bad_tls`: one of them cannot be used; says which and why.
  static Result<std::shared_ptr<Tls>> open(const std::string& cert, const std::string& key);
  ~Tls();

  // How long a handshake may take, in milliseconds.
  void set_patience(std::int64_t ms) { patience_ms_ = ms; }

  // The plain end for `client`, who is carried from now on.
  Result<Socket> shield(const asio::any_io_executor& loop, Socket client);

  // How many are being carried, also those who still shake hands or say goodbye.
  size_t carried() const { return carried_; }

 private:
  struct Context;
  struct Carried;
  explicit Tls(std::unique_ptr<Context> context);
  std::unique_ptr<Context> context_;
  std::int64_t patience_ms_ = limits::kRequestArriveMs;
  size_t carried_ = 0;
};

}  // namespace drover::api
