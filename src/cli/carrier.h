// A Carrier is one connection that carries one run at a time from its submission to its known end:
// one request a run, on a connection that stays. `drover run --each` has as many as runs may be
// under way at once.
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
  // error, put the job down.
  Result<std::optional<boost::json::object>> turn();
  void put_down() { job_.reset(); }

 private:
  Result<> reach();  // Connects and sends.
  Result<> send();
  void lose();
  bool take_answer(unsigned& status, std::string& body);

  Connect connect_;
  bool waits_;
  Fd fd_;
  std::optional<Job> job_;
  std::string run_;   // Known, and longer under way than one request may be held.
  std::string text_;  // What has come of the answer.
  std::int64_t away_since_ = 0;
};

}  // namespace drover::cli
