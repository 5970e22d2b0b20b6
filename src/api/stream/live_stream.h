// A live stream is a body of server-sent events that goes on as long as there may be something to
// tell: it waits for the bell and for the output of a run, writes at its pace, shows that it lives,
// and ends when its caller has gone or may no longer see it. What it tells, those who derive from
// it say.
//
// Nothing is queued for a follower: it is read after its cursor when it can be written (R14).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "api/http/caller.h"
#include "api/http/response.h"
#include "api/services.h"
#include "api/stream/pace.h"

namespace drover::api {

class LiveStream : public BodyStream {
 public:
  // `backing` and `caller` must outlive it. Once `credential` is no longer valid, nothing more is
  // told; empty: there is none. The filter names the subject it ends with as its waker.
  LiveStream(Services& services, Caller& caller, bus::Filter filter, std::int64_t after,
             std::string credential);
  ~LiveStream() override;
  LiveStream(const LiveStream&) = delete;
  LiveStream& operator=(const LiveStream&) = delete;

  asio::awaitable<void> run(Sink& sink) override;

 protected:
  // Adds to `text_` what there is to tell; sets `backlog_` and `finished_`.
  virtual void take(const Result<bus::Page>& page) = 0;
  // Whose output is waited for besides.
  virtual std::optional<RunId> source() const = 0;

  // Too late for a status: the reason goes into the stream.
  void give_up(const Error& error);

  Services& services_;
  std::string text_;       // Gathered for the next write.
  bool backlog_ = false;   // There is more to read at once.
  bool finished_ = false;  // Write what is gathered, and end.

 private:
  using Time = std::chrono::steady_clock::time_point;

  Time next_look();
  bool may_still_see() const;
  void watch(const RunId& run);
  asio::awaitable<void> sleep(std::chrono::steady_clock::duration delay);

  Caller& caller_;
  const std::string credential_;
  bus::Subscription subscription_;
  std::optional<RunId> watched_;
  std::optional<queries::OutputWatch::Follower> follower_;
  bool in_doubt_ = false;  // The log told of what the credential ends with.
  Pace pace_;
  Time last_write_ = std::chrono::steady_clock::now();
};

}  // namespace drover::api
