// Playing shows a play in the foreground: it prints the execution log from its first line, and
// Ctrl-C stops the play. One loop over one poll; nothing in it blocks for long.
//
//   Ctrl-C, TERM   stop the runtime; during preparation there is none: say so and continue
//   a second one   detach; HUP and a closed standard output also detach
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "cli/client/follow.h"
#include "cli/context.h"
#include "cli/terminal/interrupts.h"
#include "cli/views/output.h"

namespace drover::cli {

class Playing {
 public:
  // `context` and `interrupts` must outlive it. Without `interrupts`, Ctrl-C kills only this
  // program. `run` is the play.
  Playing(Context& context, Interrupts* interrupts, std::string project, std::string run);

  // Returns the exit code once the session is at rest and everything is printed. Empty: we
  // detached.
  Result<std::optional<int>> until_rest();

 private:
  void handle_signals();
  void handle_signal(int signal);
  void leave();
  void stop();
  Result<> follow();
  void see(const SseEvent& event);
  Result<> look_whether_over();
  Result<> conclude();
  // The record of a run. Empty: the daemon does not answer at the moment.
  Result<std::optional<boost::json::object>> look_at(const std::string& run);
  Result<> print();
  void say(const std::string& text);
  void wait();

  Context& context_;
  Interrupts* interrupts_;
  std::string project_;
  std::string run_;
  Client side_;  // For Stop, because the stream occupies the other connection.
  EventSubscription subscription_;
  OutputQueue output_;
  std::string state_;
  std::optional<int> end_;
  bool said_why_ = false;  // The log has explained the failure.
  bool over_ = false;
  bool leave_ = false;
  bool noticed_away_ = false;
  bool asked_ = false;    // The user pressed Ctrl-C, and has no answer yet.
  bool ignored_ = false;  // We have said that it was ignored; valid until the state changes.
  bool stop_due_ = false;
  int silent_ends_ = 0;  // Streams in a row that ended without an event.
  std::int64_t unanswered_since_ = 0;
};

// The exit code of `drover play` for a session at rest (S1): 0 or 130 if it was stopped, otherwise
// that of the run of the failed step; 125 if there is none, or its code is 0. Pure.
int exit_code_of_play(const boost::json::object& session, const boost::json::object& step);

}  // namespace drover::cli
