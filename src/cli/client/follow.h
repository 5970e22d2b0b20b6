// A Follower keeps a stream of events open across restarts of the daemon: when the stream breaks or
// ends, it reconnects and resumes after the last event it returned, so that no event is missed or
// repeated. It fails after limits::kComeBackMs without a daemon.
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

class Follower {
 public:
  // `client` must outlive it.
  Follower(Client& client, const wire::Operation& operation, Call call);

  int fd() const { return stream_ ? stream_->fd() : -1; }
  int wait_ms() const;
  bool away() const { return away_since_ != 0; }
  // The daemon itself ended the stream, and may still be there: it is asked again in the next turn.
  bool ended() const { return ended_; }

  // From here on this is the place in the run's output: what came before it has been seen.
  void skip_output_to(std::uint64_t offset);

  // What has come since. Errors are final.
  Result<std::vector<SseEvent>> turn();

 private:
  Result<> open();
  void lose();

  Client& client_;
  const wire::Operation& operation_;
  Call call_;
  std::string last_id_;
  std::optional<EventStream> stream_;
  std::int64_t heard_ms_ = 0;    // When the stream last said anything.
  std::int64_t away_since_ = 0;  // 0: not away.
  bool more_ = false;            // The last turn left something behind.
  bool ended_ = false;
};

// Gives every event to `take` until it returns false.
Result<> follow(Context& context, const wire::Operation& operation, const Call& call,
                const std::function<Result<bool>(const SseEvent&)>& take);

}  // namespace drover::cli
