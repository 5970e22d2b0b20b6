#include "triggers/poll/loopback_server_fixture.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdint>
#include <utility>

namespace drover::triggers {

using asio::ip::tcp;

std::string Exchange::header(const std::string& name) const {
  const size_t at = head_.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const size_t begin = at + name.size() + 4;
  return head_.substr(begin, head_.find("\r\n", begin) - begin);
}

asio::awaitable<bool> Exchange::send(std::string bytes) {
  boost::system::error_code error;
  co_await asio::async_write(socket_, asio::buffer(bytes),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

asio::awaitable<void> Exchange::wait_for_close() {
  boost::system::error_code error;
  char byte[64];
  while (!error) {
    co_await socket_.async_read_some(asio::buffer(byte),
                                     asio::redirect_error(asio::use_awaitable, error));
  }
}

asio::awaitable<void> Exchange::pause() {
  asio::steady_timer timer(socket_.get_executor(), std::chrono::milliseconds(20));
  co_await timer.async_wait(asio::use_awaitable);
}

struct LoopbackServer::State {
  tcp::acceptor acceptor;
  std::map<std::string, Behavior> behaviors = {};
  std::vector<std::string> requests = {};
  size_t at_once = 0;
  size_t most_at_once = 0;
};

LoopbackServer::LoopbackServer(asio::io_context& loop, const std::string& address)
    : state_(std::make_shared<State>(
          tcp::acceptor(loop, tcp::endpoint(asio::ip::make_address(address), 0)))) {
  asio::co_spawn(loop, accept(state_), asio::detached);
}

LoopbackServer::~LoopbackServer() {
  boost::system::error_code ignored;
  state_->acceptor.close(ignored);
}

asio::awaitable<void> LoopbackServer::accept(std::shared_ptr<State> state) {
  boost::system::error_code error;
  while (!error) {
    tcp::socket socket =
        co_await state->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (error) break;
    asio::co_spawn(state->acceptor.get_executor(), serve(state, std::move(socket)), asio::detached);
  }
}

asio::awaitable<void> LoopbackServer::serve(std::shared_ptr<State> state, tcp::socket socket) {
  boost::system::error_code error;
  std::string head;
  while (!error && !head.contains("\r\n\r\n")) {
    char bytes[4096];
    const size_t got = co_await socket.async_read_some(
        asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
    head.append(bytes, got);
    if (head.starts_with('\x16')) co_return;  // TLS, which this server does not speak.
  }
  if (error) co_return;
  const size_t begin = head.find(' ') + 1;
  const std::string path = head.substr(begin, head.find(' ', begin) - begin);
  state->requests.push_back(head);
  const auto found = state->behaviors.find(path);
  if (found == state->behaviors.end()) co_return;
  state->most_at_once = std::max(state->most_at_once, ++state->at_once);
  const Behavior behavior = found->second;
  Exchange exchange(socket, head);
  co_await behavior(exchange);
  --state->at_once;
  socket.shutdown(tcp::socket::shutdown_send, error);
}

std::string LoopbackServer::url(const std::string& path) const {
  const tcp::endpoint end = state_->acceptor.local_endpoint();
  const std::string host = end.address().to_string();
  return "http://" + (end.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(end.port()) + path;
}

void LoopbackServer::on(const std::string& path, Behavior behavior) {
  state_->behaviors[path] = std::move(behavior);
}

void LoopbackServer::on(const std::string& path, std::string response) {
  on(path, Behavior([response = std::move(response)](Exchange& exchange) -> asio::awaitable<void> {
       // The lambda lives in the copy that `serve` has, the text is copied before it is sent.
       co_await exchange.send(response);
     }));
}

const std::vector<std::string>& LoopbackServer::requests() const {
  return state_->requests;
}

size_t LoopbackServer::most_at_once() const {
  return state_->most_at_once;
}

std::string response(const std::string& status, const std::string& headers,
                     const std::string& body) {
  return "HTTP/1.1 " + status + "\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

namespace {

const std::string kGzipHead("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);

class Crc32 {
 public:
  void add(unsigned char byte) {
    sum_ ^= byte;
    for (int bit = 0; bit < 8; ++bit) sum_ = (sum_ >> 1) ^ ((sum_ & 1) != 0 ? 0xedb88320u : 0);
  }
  std::uint32_t sum() const { return ~sum_; }

 private:
  std::uint32_t sum_ = 0xffffffffu;
};

std::string little_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

std::string gzip_end(const Crc32& crc, size_t size) {
  return little_endian(crc.sum(), 4) + little_endian(size, 4);
}

}  // namespace

std::string gzip(const std::string& text) {
  Crc32 crc;
  for (const char c : text) crc.add(static_cast<unsigned char>(c));
  // One stored block, the last.
  return kGzipHead + "\x01" + little_endian(text.size(), 2) + little_endian(~text.size(), 2) +
         text + gzip_end(crc, text.size());
}

std::string gzip_of_zeros(size_t count) {
  std::string bits;
  std::string out = kGzipHead;
  const auto flush = [&] {
    for (; bits.size() >= 8; bits.erase(0, 8)) {
      int byte = 0;
      for (int i = 0; i < 8; ++i) byte |= (bits[static_cast<size_t>(i)] - '0') << i;
      out += static_cast<char>(byte);
    }
  };
  Crc32 crc;
  for (size_t i = 0; i < count; ++i) crc.add(0);
  bits = "110";  // The last block, with the fixed code.
  size_t done = 0;
  while (done < count) {
    // Repeats the zero before it 258 times, or is a zero.
    const bool repeats = done > 0 && count - done >= 258;
    bits += repeats ? "1100010100000" : "00110000";
    done += repeats ? 258 : 1;
    flush();
  }
  bits += "0000000";
  bits.resize((bits.size() + 7) / 8 * 8, '0');
  flush();
  return out + gzip_end(crc, count);
}

}  // namespace drover::triggers
