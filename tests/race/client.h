// A Client is one keep-alive connection to a daemon: thousands of requests a second, in the order
// the test wants. A request can be sent now and its answer taken later, so that one thread can have
// several in flight. A failure of the connection is status 0.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace drover::race {

struct HttpAnswer {
  int status = 0;
  std::string head;
  boost::json::object body;

  bool has_header(std::string_view line) const { return head.find(line) != std::string::npos; }
  std::string text(std::string_view key) const;
  bool flag(std::string_view key) const;
  // -1: null, or absent.
  long number(std::string_view key) const;
};

std::string text_in(const boost::json::object& object, std::string_view key);

// The bytes of one request.
std::string request_of(std::string_view method, std::string_view path, std::string_view body = {},
                       std::string_view headers = {});

class Client {
 public:
  explicit Client(const std::string& socket);
  explicit Client(std::uint16_t port);  // On loopback, over TCP.

  void send(std::string_view bytes);
  HttpAnswer take();
  HttpAnswer ask(std::string_view method, std::string_view path, std::string_view body = {},
                 std::string_view headers = {});

  // Reads to the end of a stream and returns its content without the framing.
  std::string take_stream();

  int fd() const { return fd_.get(); }
  void close() { fd_.close(); }

 private:
  bool read_some();

  Fd fd_;
  std::string unread_;
};

}  // namespace drover::race
