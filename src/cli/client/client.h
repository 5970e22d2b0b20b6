// A Client sends HTTP requests to the daemon over its unix socket: one request at a time on one
// connection that stays open, and streams of events on connections of their own. One thread;
// blocking.
//
// Timeouts and retries:
//   - an answer may take limits::kAnswerMs longer than the request asks the daemon to wait, but
//     not longer than the call's deadline (`daemon_silent`);
//   - the first request may start a daemon (launch_daemon.h). Later the daemon is known to exist.
//     One that died leaves its socket behind, and another is started; one that was stopped removes
//     its socket, and gets limits::kComeBackMs to come back: somebody stopped it on purpose;
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
  std::int64_t held_ms = 0;        // How long the daemon was asked to hold the answer.
  std::int64_t until_mono_ms = 0;  // Nobody waits for it any longer; 0: as long as it may take.
  bool at_once = false;  // Do not wait for a daemon that was there and is away: `no_daemon`.
};

struct Answer {
  std::string body;
  std::string next_offset;  // Of a log: where to go on. Empty: not said.
  std::string end_seq;      // Of a log of entries: where it ended. Empty: not said.
};

// The daemon went, or is about to: another may answer soon.
bool may_come_back(const Error& error);

// Events as they come. Does not reconnect: that is Follower's (follow.h).
class EventStream {
 public:
  EventStream(EventStream&&) noexcept;
  EventStream& operator=(EventStream&&) noexcept;
  ~EventStream();

  int fd() const;  // Readable when there is something to take.
  // all: what has arrived; some: a good part of it, more may be there already; end: the daemon
  // ended the stream.
  enum class TakeResult : std::uint8_t { all, some, end };
  // Appends events without waiting. `connection_lost`: it broke; what came before is appended.
  Result<TakeResult> take(std::vector<SseEvent>& events);

 private:
  friend class Client;
  struct Wire;
  explicit EventStream(std::unique_ptr<Wire> wire);
  std::unique_ptr<Wire> wire_;
};

class Client {
 public:
  struct Reach {
    Home home;
    std::string why_not;  // Why no daemon may be started; empty: it may.
    std::function<void(std::string_view)> notice;
  };
  explicit Client(Reach reach);
  Client(Client&&) noexcept;
  ~Client();

  // An HTTP error becomes the Error of its envelope.
  Result<Answer> call(const wire::Operation& operation, const Call& call);
  // The same, with the answer read as a JSON object.
  Result<boost::json::object> ask(const wire::Operation& operation, const Call& call);

  // Opens a stream that resumes after `last_id`, if there is one. Never waits for a daemon that
  // was there and is away: `no_daemon`.
  Result<EventStream> stream(const wire::Operation& operation, const Call& call,
                             const std::string& last_id);

  // Another client with a connection of its own, for use beside a long call.
  Client another() const;
  // Says nothing from now on: the screen belongs to somebody else.
  void be_quiet() { reach_.notice = {}; }
  bool has_met() const { return met_; }  // There was a daemon before.
  // A connection to the daemon that is known to exist, or to the one that follows it if it has
  // died. `no_daemon`: it was stopped, and nobody waits for it here.
  Result<Fd> connect_again();

 private:
  struct Connection;
  Result<Fd> connect(std::int64_t until_mono_ms);
  Result<Answer> exchange(const wire::Operation& operation, const std::string& target,
                          const Call& call);

  Reach reach_;
  bool met_ = false;  // The daemon has answered before.
  std::unique_ptr<Connection> connection_;
};

}  // namespace drover::cli
