#include "api/http/connection.h"

#include <algorithm>
#include <cerrno>

#include "api/http/arrival.h"
#include "api/http/authorize.h"
#include "api/http/request.h"
#include "api/http/server.h"
#include "api/http/target.h"
#include "api/routes.h"
#include "base/crash_point.h"
#include "log/log.h"
#include "run/redact.h"

namespace drover::api {
namespace {

using boost::system::error_code;

constexpr size_t kOneWrite = 16 * 1024;  // Up to this size a copy is cheaper than a second call.

Error no_memory() {
  return fail_errno("the daemon has no memory for this request", ENOMEM).error();
}

// A client may choose its request's id; it must be harmless in a header and in a log line.
bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  });
}

std::string hex(size_t number) {
  char text[17];
  return {text, static_cast<size_t>(std::snprintf(text, sizeof text, "%zx", number))};
}

}  // namespace

// Writes a stream to the socket: each write is a chunk, and the headers go out with the first one.
class ChunkSink final : public Sink {
 public:
  ChunkSink(Connection& connection, std::string head, bool chunked)
      : connection_(connection), pending_(std::move(head)), chunked_(chunked) {}

  asio::awaitable<bool> write(std::string bytes) override {
    std::string out = std::exchange(pending_, {});
    if (chunked_) out.append(hex(bytes.size())).append("\r\n");
    if (bytes.size() > kOneWrite) {
      if (!co_await connection_.write(out) || !co_await connection_.write(bytes)) co_return false;
      out.clear();
    } else {
      out += bytes;
    }
    if (chunked_) out += "\r\n";
    co_return co_await connection_.write(out);
  }

  void wait_for_reader() override { connection_.no_write_timeout_ = true; }

  asio::awaitable<bool> finish() {
    connection_.no_write_timeout_ = false;
    if (chunked_) pending_ += "0\r\n\r\n";
    co_return co_await connection_.write(pending_) && chunked_;
  }

 private:
  Connection& connection_;
  std::string pending_;
  bool chunked_;
};

asio::awaitable<void> Connection::serve() {
  const auto self = shared_from_this();
  error_code ignored;
  socket_.non_blocking(true, ignored);
  try {
    while (!leaving_ && co_await serve_one()) {
    }
  } catch (const std::exception& thrown) {  // No memory for an answer, say. It fails alone.
    log::error("api: closing a connection: {}", thrown.what());
  }
  socket_.close(ignored);
  server_.forget(*this);
}

asio::awaitable<bool> Connection::serve_one() {
  Arrival arrival;
  try {
    co_await receive_head(arrival);
  } catch (const std::bad_alloc&) {
    arrival.refusal = no_memory();
  }
  wait_for_ever();
  if (!arrival.parser.is_header_done() && !arrival.refusal) co_return false;
  auto& message = arrival.parser.get();
  std::string id(view(message["X-Request-Id"]));
  if (!is_request_id(id)) id = server_.next_request_id();
  if (arrival.refusal) co_return co_await refuse_arrival(*arrival.refusal, id);

  Request request = arrival.request_for(*this, door_, id);
  const Result<bool> known = co_await authenticate(request);
  if (!known) co_return co_await refuse_arrival(known.error(), id);
  // Nothing in a stranger's body can change the answer, so it is not read.
  const bool may_be_open = !*known && check_names(request);
  const Route* open = may_be_open ? route_for_anyone(server_.services(), request) : nullptr;
  if (open != nullptr && open->check_head != nullptr) {
    if (auto ok = open->check_head(server_.services(), request); !ok) {
      co_return co_await refuse_arrival(ok.error(), id);
    }
  }
  if (*known || open != nullptr) {
    const size_t of_stranger = open != nullptr && open->operation->body_bytes_max != 0
                                   ? open->operation->body_bytes_max
                                   : limits::kStrangerBodyBytesMax;
    try {
      co_await receive_body(arrival, *known ? limits::kBodyBytesMax : of_stranger);
    } catch (const std::bad_alloc&) {
      arrival.refusal = no_memory();
    }
    wait_for_ever();
    if (arrival.refusal) co_return co_await refuse_arrival(*arrival.refusal, id);
    if (!arrival.parser.is_done()) co_return false;
    request.body = std::move(message.body());
  }
  Response response = co_await respond(request);
  if (gone_) co_return false;
  request.closes_connection |= !*known;
  const bool keep_alive = arrival.parser.keep_alive() && !leaving_ && !request.closes_connection;
  const bool chunked = response.stream != nullptr && message.version() >= 11;
  ++server_.services().traffic.answers[response.status];
  crash_point("answer.ready");
  const bool whole =
      co_await send(response, {.request_id = id, .keep_alive = keep_alive, .chunked = chunked},
                    request.method == "HEAD");
  crash_point("answer.sent");
  if (response.afterwards) response.afterwards();
  if (request.closes_connection && whole) co_await drop_input();
  co_return keep_alive&& whole;
}

asio::awaitable<bool> Connection::refuse_arrival(const Error& error, const std::string& id) {
  Response response = refuse(error, id);
  if (co_await send(response, {.request_id = id, .keep_alive = false}, false)) {
    co_await drop_input();
  }
  co_return false;
}

asio::awaitable<Response> Connection::respond(Request& request) {
  std::string bug;
  try {
    co_return co_await answer(server_.services(), request);
  } catch (const std::bad_alloc&) {
    co_return refuse(no_memory(), request.id);
  } catch (const std::exception& thrown) {
    bug = thrown.what();
  }
  log::error("{} {} {}: {}", request.id, request.method, run::redact(path_of(request.target)), bug);
  co_return refuse({ErrorCode::corrupt, "internal_error",
                    "internal error; the daemon's log has details under this request id", ""},
                   request.id);
}

asio::awaitable<Result<bool>> Connection::authenticate(const Request& request) {
  if (!door_.tcp) co_return true;
  if (!check_names(request)) co_return false;
  const auto grant = co_await identify(server_.services(), request);
  if (!grant) co_return false;
  if (!place_->become_client(server_.budget())) {
    co_return fail(ErrorCode::unavailable, "too_many_connections",
                   "authenticated clients have all connections that they may have over TCP; close "
                   "some and try again");
  }
  stranger_by_ = Time::max();
  co_return true;
}

asio::awaitable<bool> Connection::send(Response& response, const Framing& framing, bool head_only) {
  std::string head = head_of(response, framing);
  if (head_only) co_return co_await write(head) && !response.stream;
  if (response.stream) {
    ChunkSink sink(*this, std::move(head), framing.chunked);
    co_await response.stream->run(sink);
    co_return co_await sink.finish();
  }
  if (response.body.size() <= kOneWrite) {
    head += response.body;
    co_return co_await write(head);
  }
  co_return co_await write(head) && co_await write(response.body);
}

}  // namespace drover::api
