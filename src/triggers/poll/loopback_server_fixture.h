// A LoopbackServer is an HTTP server on a loopback address that does what a test tells it to, also
// what no server should. It runs on the test's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace drover::triggers {

namespace asio = boost::asio;

// One connection after its request was read.
class Exchange {
 public:
  Exchange(asio::ip::tcp::socket& socket, std::string head)
      : socket_(socket), head_(std::move(head)) {}

  const std::string& head() const { return head_; }
  std::string header(const std::string& name) const;  // Empty: none. Case-sensitive.
  // False if the client has closed the connection.
  asio::awaitable<bool> send(std::string bytes);
  asio::awaitable<void> wait_for_close();
  asio::awaitable<void> pause();  // 20 ms: a server that drips.

 private:
  asio::ip::tcp::socket& socket_;
  std::string head_;
};

class LoopbackServer {
 public:
  using Behavior = std::function<asio::awaitable<void>(Exchange&)>;

  explicit LoopbackServer(asio::io_context& loop, const std::string& address = "127.0.0.1");
  ~LoopbackServer();

  std::string url(const std::string& path) const;
  void on(const std::string& path, Behavior behavior);
  // Sends these bytes, status line and all, and closes.
  void on(const std::string& path, std::string response);

  // The heads of all requests, in order.
  const std::vector<std::string>& requests() const;
  // How many connections had a request in progress at once, at most.
  size_t most_at_once() const;

 private:
  struct State;
  static asio::awaitable<void> accept(std::shared_ptr<State> state);
  static asio::awaitable<void> serve(std::shared_ptr<State> state, asio::ip::tcp::socket socket);

  std::shared_ptr<State> state_;
};

// A whole response, with the right length. `headers` are whole lines.
std::string response(const std::string& status, const std::string& headers,
                     const std::string& body);

// Compressed bodies: a text, and a number of zeros at 150:1.
std::string gzip(const std::string& text);
std::string gzip_of_zeros(size_t count);

}  // namespace drover::triggers
