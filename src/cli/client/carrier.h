// A Carrier is one connection that takes one run at a time from its submission to its known end:
// one request per run, on a connection that stays open. `drover run --each` has one for each run
// that may be active at once.
//
// While runs are short, the next job may be pipelined behind the active one. The daemon then starts
// it without a round trip, but only once the active run has finished. If that run exceeds the wait,
// is retried or was canceled, the daemon closes the connection and drops the next job: call
// `take_back` after each turn and carry it again.
//
// Each job has an idempotency key: if the daemon goes away, the same request is sent again and
// finds the same run. Poll `fd()` for input, then call `turn()`; without a connection (`away()`),
// call it after limits::kComeBackPauseMs.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "cli/batch/jobs.h"

namespace drover::cli {

class Carrier {
 public:
  using Connect = std::function<Result<Fd>()>;
  // `connect` gives a connection of its own, or `no_daemon` for now. Who does not wait has his
  // answer with the acknowledgement.
  Carrier(Connect connect, bool waits) : connect_(std::move(connect)), waits_(waits) {}

  bool busy() const { return job_.has_value(); }
  const Job& job() const { return *job_; }
  int fd() const { return fd_.get(); }
  bool away() const { return busy() && !fd_; }

  void carry(Job job);  // Only if it is not busy.
  // Nothing: not yet. A record that has not ended is never given to who waits. After a record or an
  // error, put the job down.
  Result<std::optional<boost::json::object>> turn();
  Job put_down();  // It is then busy with the one sent behind it, if there was one.
  // Answers that were read together: poll says nothing of the second.
  bool heard_more() const { return busy() && !text_.empty(); }

  bool takes_next() const { return asked_ahead_ && fd_ && busy() && !next_; }
  bool has_next() const { return next_.has_value(); }
  void carry_next(Job job);  // Only if it takes one.
  // Asks the daemon not to begin it. If it has, it is the job once the one before is put down.
  void withdraw_next();
  // The job that was sent behind another and dropped by the daemon.
  std::optional<Job> take_back() { return std::exchange(not_begun_, std::nullopt); }

 private:
  void ask();
  Result<> reach();  // Connects and sends.
  Result<> send();
  Result<> submit(const Job& job);
  void close();
  void lose();
  bool take_answer(unsigned& status, std::string& body);
  bool cut_answer(unsigned& status, std::string& body);

  Connect connect_;
  bool waits_;
  Fd fd_;
  std::optional<Job> job_;
  std::optional<Job> next_;  // Sent behind it.
  std::optional<Job> not_begun_;
  std::string run_;   // Known, and longer under way than its first request was held.
  std::string text_;  // Of answers, not taken yet.
  std::int64_t away_since_ = 0;
  std::int64_t began_ms_ = 0;  // When the job was sent, or the one before it put down.
  bool last_was_short_ = false;
  bool asked_ahead_ = false;  // With `ahead`: the job, and so whatever is sent behind it.
  bool hung_up_ = false;      // By us, to withdraw; the daemon is not away.
};

}  // namespace drover::cli
