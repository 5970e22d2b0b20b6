// An EventSubscription keeps a stream of events open across restarts of the daemon: when the stream
// breaks or ends, it reconnects and resumes after the last event it returned, so that no event is
// missed or repeated. It fails after limits::kComeBackMs without a daemon.
//
// It does not block: poll `fd()` for input, for at most `wait_ms()`, then call `turn()`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/client/client.h"
#include "cli/context.h"

namespace drover::cli {

class EventSubscription {
 public:
  // `client` must outlive it.
  EventSubscription(Client& client, const wire::Operation& operation, Call call);

  int fd() const { return stream_ ? stream_->fd() : -1; }
  int wait_ms() const;
  bool away() const { return away_since_ != 0; }
  // The daemon ended the stream. It may still be running: the next turn asks again.
  bool ended() const { return ended_; }

  // Skips the output before `offset`: the caller has it already.
  void skip_output_to(std::uint64_t offset);

  // The events since the last turn. Errors are final.
  Result<std::vector<SseEvent>> turn();

 private:
  Result<> open();
  void lose_connection();

  Client& client_;
  const wire::Operation& operation_;
  Call call_;
  std::string last_id_;
  std::optional<EventStream> stream_;
  std::int64_t heard_ms_ = 0;    // When the stream last sent anything.
  std::int64_t away_since_ = 0;  // 0: not away.
  bool more_ = false;            // The last turn left events unread.
  bool ended_ = false;
};

// Passes every event to `take` until it returns false.
Result<> follow(Context& context, const wire::Operation& operation, const Call& call,
                const std::function<Result<bool>(const SseEvent&)>& take);

}  // namespace drover::cli
