// A Client sends HTTP requests to the daemon over its unix socket: one request at a time on one
// connection that stays open, and streams of events on connections of their own. One thread;
// blocking.
//
// Timeouts and retries:
//   - an answer may take limits::kAnswerMs longer than the request asks the daemon to wait, but
//     not longer than the call's deadline (`daemon_silent`);
//   - the first request may start a daemon (launch_daemon.h). Later requests expect one. If the
//     daemon died, its socket is still there, and another daemon is started. If it was stopped, it
//     removed its socket, and gets limits::kComeBackMs to come back: it was stopped on purpose;
//   - a request whose connection broke is repeated, at most twice, if that is harmless: reading,
//     setting, canceling, and creating with an idempotency key. Any other request fails with
//     `connection_lost`: whether it was carried out is unknown.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/home.h"
#include "base/result.h"
#include "cli/client/address.h"
#include "cli/client/sse.h"
#include "wire/operation.h"

namespace drover::cli {

struct Call {
  std::string segment = {};  // The run or the lane: fills the {…} of the operation's path.
  Pairs query = {};
  std::string body = {};
  std::string key = {};            // Idempotency-Key; empty: none.
  std::int64_t held_ms = 0;        // How long the daemon may hold the answer.
  std::int64_t until_mono_ms = 0;  // The caller's deadline; 0: none.
  bool at_once = false;            // If the daemon is away, fail at once with `no_daemon`.
};

struct Gap {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

// A successful answer. Errors are an Error.
struct CallAnswer {
  std::string body;
  std::string next_offset;  // Of a run's output: where to continue. Empty: not given.
  bool more = false;        // The answer ended early: continue there at once.
  std::vector<Gap> gaps;    // Of a run's output: bytes around the body that are not kept.
  std::string end_seq;      // Of a play's log: where it ended. Empty: not given.
};

// The daemon is gone or stopping: another may answer soon.
bool may_come_back(const Error& error);

// A stream of events. Does not reconnect: EventSubscription does (follow.h).
class EventStream {
 public:
  EventStream(EventStream&&) noexcept;
  EventStream& operator=(EventStream&&) noexcept;
  ~EventStream();

  int fd() const;  // Poll it for input.
  // all: everything that has arrived was taken; some: more may have arrived; end: the daemon ended
  // the stream.
  enum class TakeResult : std::uint8_t { all, some, end };
  // Appends events without waiting. `connection_lost`: the stream broke; the events before that are
  // appended.
  Result<TakeResult> take(std::vector<SseEvent>& events);

 private:
  friend class Client;
  struct Wire;
  explicit EventStream(std::unique_ptr<Wire> wire);
  std::unique_ptr<Wire> wire_;
};

class Client {
 public:
  struct Options {
    Home home;
    std::string why_not;  // Why no daemon may be started. Empty: it may.
    std::function<void(std::string_view)> notice;
  };
  explicit Client(Options options);
  Client(Client&&) noexcept;
  ~Client();

  // Sends a request. An HTTP error becomes the Error in its envelope.
  Result<CallAnswer> call(const wire::Operation& operation, const Call& call);
  // The same, with the answer read as a JSON object.
  Result<boost::json::object> ask(const wire::Operation& operation, const Call& call);

  // Opens a stream that resumes after `last_id`, if that is set. If the daemon is away, fails at
  // once with `no_daemon`.
  Result<EventStream> stream(const wire::Operation& operation, const Call& call,
                             const std::string& last_id);

  // A second client with its own connection, to use during a long call.
  Client another() const;
  // Prints no more notices: another part of the program uses the screen.
  void silence_notices() { options_.notice = {}; }
  bool has_reached_daemon() const { return reached_daemon_; }  // A daemon has answered before.
  // Connects to the daemon, or if that has died, to a new one. `no_daemon`: it was stopped; does
  // not wait for it.
  Result<Fd> connect_again();

 private:
  struct Connection;
  Result<Fd> connect(std::int64_t until_mono_ms);
  Result<CallAnswer> exchange(const wire::Operation& operation, const std::string& target,
                              const Call& call);

  Options options_;
  bool reached_daemon_ = false;
  std::unique_ptr<Connection> connection_;
};

}  // namespace drover::cli
