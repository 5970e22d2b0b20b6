#include "cli/client/follow.h"

#include <poll.h>

#include <algorithm>
#include <boost/json/parse.hpp>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/fields.h"
#include "wire/errors.h"

namespace drover::cli {
namespace {

// The cursor at which a subscriber that lagged should resume.
std::string cursor_of(const SseEvent& lagged) {
  boost::system::error_code bad;
  const boost::json::value data = boost::json::parse(lagged.data, bad);
  return bad || !data.is_object() ? "" : text_in(data.get_object(), "cursor");
}

}  // namespace

EventSubscription::EventSubscription(Client& client, const wire::Operation& operation, Call call)
    : client_(client), operation_(operation), call_(std::move(call)) {
  call_.query.emplace_back("follow", "true");
}

int EventSubscription::wait_ms() const {
  if (more_) return 0;
  if (!stream_) return away() ? static_cast<int>(limits::kComeBackPauseMs) : 0;
  return static_cast<int>(
      std::max<std::int64_t>(0, heard_ms_ + limits::kStreamSilenceMs - mono_ms()));
}

void EventSubscription::lose_connection() {
  stream_.reset();
  more_ = false;
  if (!away()) away_since_ = mono_ms();
}

void EventSubscription::skip_output_to(std::uint64_t offset) {
  const std::string event = last_id_.substr(0, last_id_.find('.'));
  last_id_ = (event.empty() ? "0" : event) + "." + std::to_string(offset);
  stream_.reset();
  more_ = false;
}

Result<> EventSubscription::open() {
  Result<EventStream> opened = client_.stream(operation_, call_, last_id_);
  if (opened) {
    stream_ = std::move(*opened);
    ended_ = false;
    heard_ms_ = mono_ms();
    away_since_ = 0;
    more_ = true;  // The first events may have arrived with the head of the answer.
    return {};
  }
  ended_ = false;
  if (client_.has_reached_daemon() && !away()) away_since_ = mono_ms();
  const bool may_come = away() && may_come_back(opened.error());
  if (may_come && mono_ms() < away_since_ + limits::kComeBackMs) return {};
  return std::unexpected(opened.error());
}

Result<std::vector<SseEvent>> EventSubscription::turn() {
  std::vector<SseEvent> events;
  if (!stream_) {
    if (auto opened = open(); !opened) return std::unexpected(opened.error());
    if (!stream_) return events;
  }
  pollfd ready{fd(), POLLIN, 0};
  if (!more_ && ::poll(&ready, 1, 0) == 0) {
    if (mono_ms() >= heard_ms_ + limits::kStreamSilenceMs)
      lose_connection();  // Not even a heartbeat arrived.
    return events;
  }
  const Result<EventStream::TakeResult> took = stream_->take(events);
  heard_ms_ = mono_ms();
  more_ = took && *took == EventStream::TakeResult::some;
  const bool over = !took || *took == EventStream::TakeResult::end;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].type == "error") {  // Sent instead of a status: that is already out.
      return std::unexpected(wire::read_envelope(events[i].data, 200));
    }
    if (events[i].type == "lagged") {
      // Events are missing after this point: resume at the cursor that the daemon names.
      if (const std::string cursor = cursor_of(events[i]); !cursor.empty()) last_id_ = cursor;
      events.resize(i);
      lose_connection();
      return events;
    }
    if (!events[i].id.empty()) last_id_ = events[i].id;
  }
  if (over) lose_connection();
  ended_ = took && over;
  return events;
}

Result<> follow(Context& context, const wire::Operation& operation, const Call& call,
                const std::function<Result<bool>(const SseEvent&)>& take) {
  EventSubscription subscription(context.client, operation, call);
  for (bool noticed = false;;) {
    const Result<std::vector<SseEvent>> events = subscription.turn();
    if (!events) return std::unexpected(events.error());
    for (const SseEvent& event : *events) {
      const Result<bool> more = take(event);
      if (!more) return std::unexpected(more.error());
      if (!*more) return {};
    }
    if (subscription.away() && !noticed) {
      context.screen.notice("the daemon is unreachable; reconnecting");
    }
    noticed = subscription.away();
    pollfd ready{subscription.fd(), POLLIN, 0};
    ::poll(&ready, 1, subscription.wait_ms());
  }
}

}  // namespace drover::cli
