#include "api/sse.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "api/event_text.h"
#include "api/pace.h"
#include "base/output_file.h"
#include "wire/errors.h"

namespace drover::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kHeartbeat{limits::kHeartbeatMs};
constexpr milliseconds kUnwatched{250};  // How often to look where the kernel cannot tell us.

class EventStream final : public BodyStream {
 public:
  EventStream(Backing& backing, Caller& caller, Follow follow)
      : backing_(backing),
        caller_(caller),
        follow_(std::move(follow)),
        seen_(follow_.after),
        subscription_(backing.bell, backing.loop,
                      {follow_.run, follow_.scope, follow_.runs, follow_.scopes}, seen_.seq) {
    if (follow_.output) output_.emplace(backing.home.run_folder(*follow_.run));
    ++backing_.traffic.streams;
  }
  ~EventStream() override { --backing_.traffic.streams; }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  asio::awaitable<void> run(Sink& sink) override {
    const Watch watch(caller_, [this] { subscription_.wake(); });
    const access::Gate::Ear ear(backing_.gate, [this] {
      in_doubt_ = true;
      subscription_.wake();
    });
    text_ = "retry: 1000\n\n";
    bool wait = false;  // First what is there already.
    while (!caller_.gone() && !finished_) {
      auto page = wait ? co_await subscription_.next(next_look()) : subscription_.poll();
      take(page);
      if (!finished_ && !backlog_ && !text_.empty()) {
        if (const auto delay = pace_.delay(steady_clock::now()); delay.count() > 0) {
          co_await sleep(delay);
          page = subscription_.poll();
          take(page);
        }
      }
      if (text_.empty() && steady_clock::now() >= last_write_ + kHeartbeat) text_ = ":\n\n";
      wait = !backlog_;
      if (text_.empty() && !in_doubt_) continue;
      in_doubt_ = false;
      if (!may_still_see()) {
        text_.clear();
        give_up(access::unauthorized().error());
      }
      if (text_.empty()) continue;
      if (!co_await sink.write(std::move(text_))) co_return;
      text_.clear();
      last_write_ = steady_clock::now();
      pace_.wrote(last_write_);
    }
  }

 private:
  steady_clock::time_point next_look() {
    const auto heartbeat = last_write_ + kHeartbeat;
    if (!output_ || is_watching()) return heartbeat;
    watch_output();
    if (!is_watching()) return std::min(heartbeat, steady_clock::now() + kUnwatched);
    // What was printed before the watch began must not wait for the next byte.
    subscription_.wake();
    return heartbeat;
  }

  // A token may be revoked, expire or end with its run while a stream goes on.
  bool may_still_see() const {
    return follow_.credential.empty() || backing_.gate.identify(follow_.credential);
  }

  bool is_watching() const { return follower_ && follower_->watching(); }

  // Asked for only once the stream lives, because the folder may be younger than the request; and
  // only of a run that goes on, because it makes the folder, and one that was deleted has none.
  void watch_output() {
    const auto record = backing_.store.find(*follow_.run);
    if (!record || !*record || !run::is_active((*record)->state)) return;
    follower_.emplace(backing_.output_watch, backing_.home.run_folder(*follow_.run),
                      [this] { subscription_.wake(); });
  }

  asio::awaitable<void> sleep(steady_clock::duration delay) {
    asio::steady_timer timer(backing_.loop, delay);
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }

  // Adds what a page and the output have to tell. Events first, but the terminal one last of all.
  void take(const Result<bus::Page>& page) {
    if (!page) return give_up(page.error());
    for (const bus::EventPtr& event : page->events) {
      if (end_) break;  // The stream ends with the run, whatever came after.
      if (follow_.run && event->terminal) {
        end_ = event;
      } else {
        add(*event);
      }
    }
    if (output_) add_output();
    if (finished_) return;
    if (end_ && !backlog_) {
      add(*end_);
      finished_ = true;
    } else if (page->lagged > 0) {
      ++backing_.traffic.lagged;
      text_.append("event: lagged\ndata: {\"missed\":").append(std::to_string(page->lagged));
      text_.append(",\"cursor\":\"").append(cursor()).append("\"}\n\n");
      finished_ = true;
    }
  }

  void add(const run::Event& event) {
    seen_.seq = event.seq;
    if (!follow_.output) {
      text_ += backing_.frames.of(event);
      return;
    }
    const std::string cursor = this->cursor();
    data_.clear();
    append_json(data_, event, cursor);
    append_frame(text_, cursor, event.type, data_);
  }

  void add_output() {
    std::uint64_t next = seen_.offset;
    auto pieces = output_->read(seen_.offset, limits::kLogChunkBytes, Stream::both, &next);
    if (!pieces) return give_up(pieces.error());
    size_t bytes = 0;
    for (const OutputPiece& piece : *pieces) bytes += piece.bytes.size();
    backlog_ = bytes >= limits::kLogChunkBytes;
    // While the run goes on, or the file does, the rest of a character may still come.
    const auto held = mend(*pieces, !end_ || backlog_);
    join(*pieces, limits::kLogChunkBytes);
    for (const OutputPiece& piece : *pieces) {
      seen_.offset = piece.offset + piece.bytes.size();
      data_.clear();
      append_json(data_, piece, follow_.run->view());
      append_frame(text_, cursor(), "run.output", data_);
    }
    seen_.offset = held.value_or(next);
  }

  // Too late for a status: the reason goes into the stream.
  void give_up(const Error& error) {
    text_.append("event: error\ndata: ").append(wire::envelope(error, "")).append("\n\n");
    finished_ = true;
  }

  std::string cursor() const { return follow_.output ? text_of(seen_) : text_of(seen_.seq); }

  Backing& backing_;
  Caller& caller_;
  const Follow follow_;
  Cursor seen_;
  bus::Subscription subscription_;
  std::optional<OutputReader> output_;
  std::optional<OutputWatch::Follower> follower_;
  bus::EventPtr end_;      // The terminal event, held back until the output is told.
  bool backlog_ = false;   // There is more output to read at once.
  bool finished_ = false;  // Write what is gathered, and end.
  bool in_doubt_ = false;  // A token was revoked: perhaps this one's.
  Pace pace_;
  steady_clock::time_point last_write_ = steady_clock::now();
  std::string text_;  // Gathered for the next write.
  std::string data_;
};

}  // namespace

std::unique_ptr<BodyStream> follow_events(Backing& backing, Caller& caller, Follow follow) {
  return std::make_unique<EventStream>(backing, caller, std::move(follow));
}

}  // namespace drover::api
