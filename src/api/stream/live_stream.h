// A LiveStream is a response body that stays open while more events may come, as server-sent events
// or frames (format.h). It waits for the bell and for the output of a run, writes at its pace,
// sends heartbeats, and ends when its client is gone or loses access. Derived classes decide what
// to send.
//
// It queues nothing for a subscriber: it reads after the subscriber's cursor when it can write
// (R14).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "api/http/request_client.h"
#include "api/http/response.h"
#include "api/services.h"
#include "api/stream/format.h"
#include "api/stream/pace.h"
#include "work/caller.h"

namespace drover::api {

class LiveStream : public BodyStream {
 public:
  // `services` and `client` must outlive it. Sends nothing more once `credential` is no longer
  // valid; empty: there is none. The filter's waker is the subject whose event ends the credential.
  LiveStream(Services& services, RequestClient& client, bus::Filter filter, std::int64_t after,
             std::string credential, const StreamFormat& format = server_sent_events());
  ~LiveStream() override;
  LiveStream(const LiveStream&) = delete;
  LiveStream& operator=(const LiveStream&) = delete;

  asio::awaitable<void> run(Sink& sink) override;

 protected:
  // Before the first page: reads what the stream begins with.
  virtual asio::awaitable<Result<>> begin();
  // Appends the next events to `text_`; sets `backlog_` and `finished_`.
  virtual asio::awaitable<void> take(Result<bus::Page> page) = 0;
  // The run whose output it also waits for.
  virtual std::optional<RunId> source() const = 0;
  // False: the last events are not sent yet, and more would pile up.
  virtual bool wants_events() const { return true; }
  using Time = std::chrono::steady_clock::time_point;
  // When to look again even if nothing happens; at the latest then.
  virtual Time look_by(Time latest) { return latest; }
  // The client's socket has taken everything so far.
  virtual void wrote() {}

  // Reads the store on behalf of the stream's reader.
  template <class Read>
  asio::awaitable<std::invoke_result_t<Read&, store::Reads&>> ask(Read read) {
    return services_.reads.ask(worker_caller(), std::move(read));
  }
  // On whose behalf the stream uses the threads beside the loop.
  work::Caller worker_caller() const {
    work::Caller caller = reader_;
    caller.stop = left_.get_token();
    return caller;
  }

  // Ends the wait for events, for example because output has grown.
  void wake() { subscription_.wake(); }

  // It is too late for an HTTP status: the error goes into the stream.
  void give_up(const Error& error);

  Services& services_;
  const StreamFormat& format_;
  std::string text_;       // Collected for the next write.
  bool backlog_ = false;   // There is more to read at once.
  bool finished_ = false;  // Write the collected text, then end.

 private:
  asio::awaitable<Result<bus::Page>> next_page(bool wait);
  void on_leave();
  asio::awaitable<Time> next_look();
  asio::awaitable<bool> may_still_see() const;
  asio::awaitable<void> watch(RunId run);
  asio::awaitable<void> sleep(std::chrono::steady_clock::duration delay);

  RequestClient& client_;
  const std::string credential_;
  const work::Caller reader_;
  std::stop_source left_;  // The reader is gone.
  bus::Subscription subscription_;
  std::optional<RunId> watched_;
  std::optional<queries::OutputWatch::Subscription> output_subscription_;
  bool in_doubt_ = false;  // The log has an event about the credential: check it again.
  Pace pace_;
  Time last_write_ = std::chrono::steady_clock::now();
};

}  // namespace drover::api
