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
  // `connect` returns a new connection, or `no_daemon` for now. Without `waits`, the
  // acknowledgment of the submission is the answer.
  Carrier(Connect connect, bool waits) : connect_(std::move(connect)), waits_(waits) {}

  bool busy() const { return job_.has_value(); }
  const Job& job() const { return *job_; }
  int fd() const { return fd_.get(); }
  bool away() const { return busy() && !fd_; }

  void carry(Job job);  // Only if not busy.
  // Empty: no answer yet. With `waits`, every returned record is of a finished run. After a record
  // or an error, call put_down().
  Result<std::optional<boost::json::object>> turn();
  Job put_down();  // Then busy with the pipelined job, if there is one.
  // Several answers may be read at once: poll does not report the second.
  bool has_more_answers() const { return busy() && !text_.empty(); }

  bool takes_next() const { return sent_ahead_ && fd_ && busy() && !next_; }
  bool has_next() const { return next_.has_value(); }
  void carry_next(Job job);  // Only if takes_next().
  // Asks the daemon not to start the pipelined job. If it has started already, it becomes the job
  // after put_down().
  void withdraw_next();
  // The pipelined job that the daemon dropped.
  std::optional<Job> take_back() { return std::exchange(dropped_job_, std::nullopt); }

 private:
  void ask();
  Result<> reach();  // Connects and sends the request.
  Result<> send();
  Result<> submit(const Job& job);
  void close();
  void lose_connection();
  bool take_answer(unsigned& status, std::string& body);
  bool cut_answer(unsigned& status, std::string& body);

  Connect connect_;
  bool waits_;
  Fd fd_;
  std::optional<Job> job_;
  std::optional<Job> next_;  // Pipelined behind the job.
  std::optional<Job> dropped_job_;
  std::string run_;   // Set once the run has outlasted its first request.
  std::string text_;  // Bytes of answers, not parsed yet.
  std::int64_t away_since_ = 0;
  std::int64_t began_ms_ = 0;  // When the job was sent, or the previous one put down.
  bool last_was_short_ = false;
  bool sent_ahead_ = false;  // The job was sent with `ahead`, so the next one may be pipelined.
  bool hung_up_ = false;     // We closed our side to withdraw a job; the daemon is not away.
};

}  // namespace drover::cli
