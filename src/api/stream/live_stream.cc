#include "api/stream/live_stream.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "wire/errors.h"

namespace drover::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kHeartbeat{limits::kHeartbeatMs};
constexpr milliseconds kUnwatched{250};  // How often to poll if inotify is unavailable.

}  // namespace

LiveStream::LiveStream(Services& services, RequestClient& client, bus::Filter filter,
                       std::int64_t after, std::string credential, const StreamFormat& format)
    : services_(services),
      format_(format),
      client_(client),
      credential_(std::move(credential)),
      reader_(filter.reader),
      subscription_(services.bell, services.loop, std::move(filter), after) {
  ++services_.traffic.streams;
}

LiveStream::~LiveStream() {
  --services_.traffic.streams;
}

// A stream ends when the daemon closes, but what it is reading then is still sent.
void LiveStream::on_leave() {
  if (client_.may_return()) return subscription_.wake();
  left_.request_stop();
  subscription_.leave();
}

asio::awaitable<Result<>> LiveStream::begin() {
  co_return Result<>{};
}

asio::awaitable<void> LiveStream::run(Sink& sink) {
  const ClientWatch watch(client_, [this] { on_leave(); });
  format_.begin(text_);
  if (auto begun = co_await begin(); !begun) give_up(begun.error());
  bool wait = false;  // First send what exists already.
  if (finished_) (void)co_await sink.write(std::move(text_));
  while (!client_.gone() && !finished_) {
    auto page = co_await next_page(wait);
    in_doubt_ |= page && page->waker;
    co_await take(std::move(page));
    if (!finished_ && !backlog_ && !text_.empty()) {
      if (const auto delay = pace_.delay(steady_clock::now()); delay.count() > 0) {
        co_await sleep(delay);
        co_await take(co_await next_page(false));
      }
    }
    if (text_.empty() && steady_clock::now() >= last_write_ + kHeartbeat) format_.alive(text_);
    wait = !backlog_;
    if (text_.empty() && !in_doubt_) continue;
    in_doubt_ = false;
    if (!co_await may_still_see()) {
      text_.clear();
      give_up(access::unauthorized().error());
    }
    if (text_.empty()) continue;
    if (!co_await sink.write(std::move(text_))) co_return;
    text_.clear();
    wrote();
    last_write_ = steady_clock::now();
    pace_.wrote(last_write_);
  }
}

asio::awaitable<Result<bus::Page>> LiveStream::next_page(bool wait) {
  if (!wants_events()) co_return bus::Page{};
  if (!wait) co_return co_await subscription_.now();
  co_return co_await subscription_.next(co_await next_look());
}

asio::awaitable<LiveStream::Time> LiveStream::next_look() {
  const auto heartbeat = look_by(last_write_ + kHeartbeat);
  const auto run = source();
  if (run != watched_) output_subscription_.reset();
  watched_ = run;
  if (!run || (output_subscription_ && output_subscription_->watching())) co_return heartbeat;
  co_await this->watch(*run);
  if (!output_subscription_ || !output_subscription_->watching()) {
    co_return std::min<Time>(heartbeat, steady_clock::now() + kUnwatched);
  }
  // Output from before the watch began must not wait for the next byte.
  subscription_.wake();
  co_return heartbeat;
}

// The token may be revoked, expire or end with its run while the stream is open.
asio::awaitable<bool> LiveStream::may_still_see() const {
  if (credential_.empty()) co_return true;
  const auto grant = co_await services_.gate.identify(credential_);
  co_return grant.has_value();
}

// Called only after the stream has started, because the run's directory may be newer than the
// request; and only for an active run, because watching creates the directory, and a deleted run
// must not have one.
asio::awaitable<void> LiveStream::watch(RunId run) {
  auto record = services_.store.at_hand(run);
  if (!record) {
    auto found = co_await ask([run](store::Reads& store) { return store.find(run); });
    if (found) record = std::move(*found);
  }
  if (!record || !run::is_active(record->state)) co_return;
  output_subscription_.emplace(services_.output_watch, services_.home.run_directory(run),
                               [this] { subscription_.wake(); });
}

asio::awaitable<void> LiveStream::sleep(steady_clock::duration delay) {
  asio::steady_timer timer(services_.loop, delay);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void LiveStream::give_up(const Error& error) {
  format_.event(text_, "", "error", wire::envelope(error, ""));
  finished_ = true;
}

}  // namespace drover::api
