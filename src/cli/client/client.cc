#include "cli/client/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/client/frames.h"
#include "cli/client/launch_daemon.h"
#include "cli/client/trace.h"
#include "cli/environment.h"
#include "wire/errors.h"
#include "wire/frames.h"

namespace drover::cli {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

// A connected socket for Beast, with a deadline. A deadline of 0 never waits.
class TimedSocket {
 public:
  explicit TimedSocket(Fd fd) : fd_(std::move(fd)) {}
  int fd() const { return fd_.get(); }
  void set_deadline(std::int64_t at_ms) { deadline_ = at_ms; }
  // The other side has closed: nothing that is sent now can be received.
  bool is_closed() const {
    char next = 0;
    return ::recv(fd(), &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  template <class Buffers>
  size_t read_some(const Buffers& buffers, error_code& error) {
    for (auto it = boost::asio::buffer_sequence_begin(buffers);
         it != boost::asio::buffer_sequence_end(buffers); ++it) {
      const boost::asio::mutable_buffer piece = *it;
      if (piece.size() == 0) continue;
      for (;;) {
        const ssize_t got = ::recv(fd(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (got > 0) return static_cast<size_t>(got);
        if (got == 0) {
          error = boost::asio::error::eof;
          return 0;
        }
        if (!wait(POLLIN, error)) return 0;
      }
    }
    return 0;
  }

  template <class Buffers>
  size_t write_some(const Buffers& buffers, error_code& error) {
    std::array<iovec, 16> pieces;
    size_t count = 0;
    for (auto it = boost::asio::buffer_sequence_begin(buffers);
         it != boost::asio::buffer_sequence_end(buffers) && count < pieces.size(); ++it) {
      const boost::asio::const_buffer piece = *it;
      pieces[count++] = {const_cast<void*>(piece.data()), piece.size()};
    }
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    for (;;) {
      const ssize_t sent = ::sendmsg(fd(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent >= 0) return static_cast<size_t>(sent);
      if (!wait(POLLOUT, error)) return 0;
    }
  }

  // Required by Beast's concepts; never called.
  template <class Buffers>
  size_t read_some(const Buffers& buffers) {
    error_code ignored;
    return read_some(buffers, ignored);
  }
  template <class Buffers>
  size_t write_some(const Buffers& buffers) {
    error_code ignored;
    return write_some(buffers, ignored);
  }

 private:
  // After a failed call, waits if that may help. False: `error` says why not.
  bool wait(short events, error_code& error) {
    if (errno == EINTR) return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      error = error_code(errno, boost::system::system_category());
      return false;
    }
    if (deadline_ == 0) {
      error = boost::asio::error::would_block;
      return false;
    }
    const std::int64_t left = deadline_ - mono_ms();
    pollfd ready{fd(), events, 0};
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) {
      error = boost::asio::error::timed_out;
      return false;
    }
    return true;
  }

  Fd fd_;
  std::int64_t deadline_ = 0;
};

// The earlier of two deadlines; if `other` is 0, it is not set.
std::int64_t earlier(std::int64_t one, std::int64_t other) {
  return other == 0 ? one : std::min(one, other);
}

std::unexpected<Error> lost(const error_code& error) {
  if (error == boost::asio::error::timed_out) {
    return fail(ErrorCode::unavailable, "daemon_silent",
                "the daemon did not answer in time; `drover doctor` may say why");
  }
  return fail(ErrorCode::unavailable, "connection_lost",
              "the connection to the daemon broke (" + error.message() + ")");
}

http::request<http::string_body> make_request(const wire::Operation& operation,
                                              const std::string& target, const Call& call) {
  http::request<http::string_body> request;
  request.method_string(operation.method);
  request.target(target);
  request.version(11);
  request.set(http::field::host, "drover");
  if (const std::string token = own_token(); !token.empty()) {
    request.set(http::field::authorization, "Bearer " + token);
  }
  if (!call.key.empty()) request.set("Idempotency-Key", call.key);
  if (wire::takes_header(operation, "traceparent")) {
    if (const std::string trace = own_traceparent(); !trace.empty()) {
      request.set("traceparent", trace);
    }
  }
  if (operation.body != wire::Body::none) {
    request.set(http::field::content_type, operation.body == wire::Body::json
                                               ? "application/json"
                                               : "application/octet-stream");
    request.body() = call.body;
    request.prepare_payload();
  }
  return request;
}

bool harmless_twice(const wire::Operation& operation, const Call& call) {
  return operation.method == "GET" || operation.method == "PUT" || !call.key.empty() ||
         operation.repeatable;
}

// The gaps of a run's output: "Drover-Gap: from=4096, to=8192", once for each.
template <class Message>
std::vector<Gap> gaps_in(const Message& message) {
  std::vector<Gap> gaps;
  const auto [first, last] = message.equal_range("Drover-Gap");
  for (auto it = first; it != last; ++it) {
    const std::string text(it->value());
    unsigned long long from = 0;
    unsigned long long to = 0;
    if (std::sscanf(text.c_str(), "from=%llu, to=%llu", &from, &to) == 2) {
      gaps.push_back({.from = from, .to = to});
    }
  }
  return gaps;
}

// The client only sends known operations, so it is this daemon that lacks one.
std::string no_such_operation(const wire::Operation& operation) {
  return "this daemon does not have the operation " + std::string(operation.name) +
         ": it was built without this command, or is another version; `drover status` "
         "names its version";
}

}  // namespace

bool may_come_back(const Error& error) {
  return error.reason == "no_daemon" || error.reason == "connection_lost" ||
         error.reason == "daemon_silent" || error.reason == "stopping";
}

struct Client::Connection {
  TimedSocket socket;
  boost::beast::flat_buffer buffer;
};

struct EventStream::Wire {
  TimedSocket socket;
  boost::beast::flat_buffer buffer;
  http::response_parser<http::buffer_body> parser;
  SseParser events;
  std::optional<FrameParser> frames;  // Set: the stream consists of frames.
};

EventStream::EventStream(std::unique_ptr<Wire> wire) : wire_(std::move(wire)) {}
EventStream::EventStream(EventStream&&) noexcept = default;
EventStream& EventStream::operator=(EventStream&&) noexcept = default;
EventStream::~EventStream() = default;

int EventStream::fd() const {
  return wire_->socket.fd();
}

Result<EventStream::TakeResult> EventStream::take(std::vector<SseEvent>& events) {
  std::array<char, limits::kLogChunkBytes> bytes;
  // Return after a bounded number of bytes, so that the caller can print them and react to Ctrl-C.
  for (size_t taken = 0; taken < 16 * bytes.size();) {
    if (wire_->parser.is_done()) return TakeResult::end;
    auto& body = wire_->parser.get().body();
    body.data = bytes.data();
    body.size = bytes.size();
    body.more = true;
    error_code error;
    http::read_some(wire_->socket, wire_->buffer, wire_->parser, error);
    const size_t got = bytes.size() - body.size;
    if (!wire_->frames) {
      wire_->events.feed({bytes.data(), got}, events);
    } else if (!wire_->frames->feed({bytes.data(), got}, events)) {
      return fail(ErrorCode::unavailable, "bad_answer",
                  "the daemon sent a stream that cannot be read; is another version running?");
    }
    taken += got;
    if (error == http::error::need_buffer) error = {};
    if (error == boost::asio::error::would_block) return TakeResult::all;
    if (error) return lost(error);
  }
  return TakeResult::some;
}

Client::Client(Options options) : options_(std::move(options)) {}
Client::Client(Client&&) noexcept = default;
Client::~Client() = default;

Client Client::another() const {
  Client client(options_);
  client.reached_daemon_ = reached_daemon_;
  return client;
}

Result<Fd> Client::connect(std::int64_t until_mono_ms) {
  if (!reached_daemon_) {
    Result<Fd> fd = connect_or_start(options_.home, options_.why_not, options_.notice);
    reached_daemon_ = fd.has_value();
    return fd;
  }
  const std::int64_t deadline = earlier(mono_ms() + limits::kComeBackMs, until_mono_ms);
  for (bool noticed = false;;) {
    Result<Fd> fd = connect_again();
    if (fd || fd.error().reason != "no_daemon" || mono_ms() > deadline) return fd;
    if (!noticed && options_.notice) options_.notice("the daemon is unreachable; reconnecting");
    noticed = true;
    ::poll(nullptr, 0, static_cast<int>(limits::kComeBackPauseMs));
  }
}

// Tries once, without waiting for a daemon that was stopped.
Result<Fd> Client::connect_again() {
  Result<Fd> fd = connect_to(options_.home.socket());
  const bool has_died = !fd && fd.error().reason == "no_daemon" &&
                        ::access(options_.home.socket().c_str(), F_OK) == 0;
  if (!has_died || !options_.why_not.empty()) return fd;
  if (options_.notice) options_.notice("the daemon has died; starting another");
  return connect_or_start(options_.home, "", options_.notice);
}

Result<CallAnswer> Client::exchange(const wire::Operation& operation, const std::string& target,
                                    const Call& call) {
  Connection& connection = *connection_;
  // However little time is left, give the daemon a moment to answer.
  const std::int64_t now = mono_ms();
  const std::int64_t until =
      call.until_mono_ms == 0 ? 0 : std::max(call.until_mono_ms, now + limits::kProgressAfterMs);
  connection.socket.set_deadline(earlier(now + limits::kAnswerMs + call.held_ms, until));
  error_code error;
  http::write(connection.socket, make_request(operation, target, call), error);
  const error_code unsent = std::exchange(error, {});
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);  // Our own daemon; the request bounds its answers.
  // Read even if sending failed: a daemon that refuses a request says why and closes.
  http::read(connection.socket, connection.buffer, parser, error);
  if (error) return lost(unsent ? unsent : error);
  http::response<http::string_body> response = parser.release();
  if (!response.keep_alive()) connection_.reset();
  if (response.result_int() >= 400) {
    Error refusal = wire::read_envelope(response.body(), response.result_int());
    if (refusal.reason == "route_not_found") refusal.message = no_such_operation(operation);
    return std::unexpected(std::move(refusal));
  }
  return CallAnswer{.body = std::move(response.body()),
                    .next_offset = std::string(response["Drover-Next-Offset"]),
                    .more = response["Drover-More"] == "true",
                    .gaps = gaps_in(response),
                    .end_seq = std::string(response["Drover-End-Seq"])};
}

Result<CallAnswer> Client::call(const wire::Operation& operation, const Call& call) {
  const Result<std::string> target = address(operation, call.segment, call.query);
  if (!target) return std::unexpected(target.error());
  for (int attempt = 1;; ++attempt) {
    if (connection_ && connection_->socket.is_closed()) connection_.reset();
    if (!connection_) {
      Result<Fd> fd =
          call.at_once && reached_daemon_ ? connect_again() : connect(call.until_mono_ms);
      if (!fd) return std::unexpected(fd.error());
      connection_ = std::make_unique<Connection>(TimedSocket(std::move(*fd)));
    }
    Result<CallAnswer> answer = exchange(operation, *target, call);
    if (answer) return answer;
    const bool broke = answer.error().reason == "connection_lost";
    if (broke || answer.error().reason == "daemon_silent") connection_.reset();
    if (!broke || attempt == 3 || !harmless_twice(operation, call)) return answer;
    // A daemon that is being killed closes its connections before its listening socket.
    if (attempt == 2) ::poll(nullptr, 0, static_cast<int>(limits::kComeBackPauseMs));
  }
}

Result<boost::json::object> Client::ask(const wire::Operation& operation, const Call& call) {
  Result<CallAnswer> answer = this->call(operation, call);
  if (!answer) return std::unexpected(answer.error());
  error_code bad;
  boost::json::value value = boost::json::parse(answer->body, bad);
  if (bad || !value.is_object()) {
    return fail(ErrorCode::unavailable, "bad_answer",
                "the daemon's answer is not JSON; is another version of it running?");
  }
  return std::move(value.get_object());
}

Result<EventStream> Client::stream(const wire::Operation& operation, const Call& call,
                                   const std::string& last_id) {
  const Result<std::string> target = address(operation, call.segment, call.query);
  if (!target) return std::unexpected(target.error());
  Result<Fd> fd = reached_daemon_ ? connect_again() : connect(call.until_mono_ms);
  if (!fd) return std::unexpected(fd.error());
  auto wire = std::make_unique<EventStream::Wire>(TimedSocket(std::move(*fd)));
  http::request<http::string_body> request = make_request(operation, *target, call);
  request.set(http::field::accept, "text/event-stream");
  if (!last_id.empty()) request.set("Last-Event-ID", last_id);
  wire->socket.set_deadline(mono_ms() + limits::kAnswerMs);
  error_code error;
  http::write(wire->socket, request, error);
  if (error) return lost(error);
  wire->parser.body_limit(boost::none);
  http::read_header(wire->socket, wire->buffer, wire->parser, error);
  if (error) return lost(error);
  if (const unsigned status = wire->parser.get().result_int(); status >= 400) {
    http::response_parser<http::string_body> whole(std::move(wire->parser));
    http::read(wire->socket, wire->buffer, whole, error);
    return std::unexpected(wire::read_envelope(whole.get().body(), status));
  }
  const auto media = wire->parser.get()[http::field::content_type];
  if (std::string_view(media.data(), media.size()) == wire::kFrames) {
    wire->frames.emplace(last_id);
    // Beast reads as much as the buffer has room for, and else 512 bytes at a time.
    wire->buffer.reserve(2 * limits::kLogChunkBytes);
  }
  wire->socket.set_deadline(0);
  return EventStream(std::move(wire));
}

}  // namespace drover::cli
