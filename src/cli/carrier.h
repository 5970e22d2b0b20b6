// A Carrier is one connection that carries one run at a time from its submission to its known end:
// one request a run, on a connection that stays. `drover run --each` has as many as runs may be
// under way at once.
//
// While its runs are short the next job may be sent behind the one under way, and the daemon begins
// it without waiting for us. It does so only if that one has ended by itself: one that takes
// longer, is tried again or canceled closes the connection, and `take_back` gives the next job to
// somebody else.
//
// Each job has an idempotency key: when the daemon goes away in between, the same request is made
// again and finds the same run. Poll `fd()` for input, then `turn()`; without one (`away()`), turn
// it after limits::kComeBackPauseMs.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace drover::cli {

struct Job {
  std::string input;
  std::string key;
  std::string body;  // JSON, as POST /api/runs takes it.
};

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
  // error, put the job down; then turn again if more was heard, for poll does not tell of that.
  Result<std::optional<boost::json::object>> turn();
  Job put_down();  // If another was sent behind it, it is busy with that one now.
  bool heard_more() const { return busy() && !text_.empty(); }

  bool takes_next() const;
  bool has_next() const { return next_.has_value(); }
  void carry_next(Job job);  // Only if it takes one.
  // Not to be begun any more, unless it has been: then it is under way as soon as that is heard.
  void withdraw_next();
  // What was sent behind another and was not made.
  std::optional<Job> take_back() { return std::exchange(unmade_, std::nullopt); }

 private:
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
  std::optional<Job> unmade_;
  std::string run_;   // Known, and longer under way than its first request was held.
  std::string text_;  // What has come of the answer.
  std::int64_t away_since_ = 0;
  std::int64_t began_ms_ = 0;
  bool quick_ = false;        // The last one was.
  bool asked_ahead_ = false;  // The job's request allows for one behind it.
  bool withdrawn_ = false;    // We hung up.
};

}  // namespace drover::cli
