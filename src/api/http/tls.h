// Tls sits between a TCP client and an ordinary connection: it decrypts the client's bytes and
// encrypts the answers, over a socket pair whose other end is served like any other client. So no
// other code knows of TLS, and all limits of a connection apply. It adds limits for the handshake
// and for a client that does not read.
//
// It works on a thread of its own: a handshake takes about a millisecond of computation, and any
// stranger can ask for one. So a flood of them delays other clients behind TLS, whose number is
// bounded (places.h), but neither the loop nor the owner on the socket.
//
// Is called from the daemon's loop, which must outlive it; while clients are connected, the loop
// has work to do. Its destructor disconnects them and joins the thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/http/places.h"
#include "base/result.h"

namespace drover::api {

namespace asio = boost::asio;

class Tls {
 public:
  using Socket = asio::generic::stream_protocol::socket;

  // PEM files. `bad_tls`: one of them is unusable; the message says which and why.
  static Result<std::shared_ptr<Tls>> open(const std::string& cert, const std::string& key);
  ~Tls();
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;

  // How long a handshake may take, in milliseconds.
  void set_handshake_timeout(std::int64_t ms);

  struct Shielded {
    Socket plain;               // The plain end of the socket pair.
    std::function<void()> cut;  // Closes the client's socket and our end of the pair at once.
  };
  // Takes over `client`. `place` is kept until the client is gone, and learns when the handshake is
  // finished.
  Result<Shielded> shield(const asio::any_io_executor& loop, Socket client,
                          std::shared_ptr<Place> place);

  // The number of clients, including those in the handshake or the shutdown.
  size_t carried() const;

 private:
  struct Context;
  struct Carried;
  explicit Tls(std::shared_ptr<Context> context);
  std::shared_ptr<Context> context_;
  std::optional<asio::thread_pool> thread_;  // From the first client on.
};

}  // namespace drover::api
