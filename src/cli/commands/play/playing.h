// Playing is a play in the foreground: its execution log comes out of us from the first line on,
// and Ctrl-C stops its runtime. One loop over one poll; nothing in it blocks for long.
//
//   Ctrl-C, TERM   stop the runtime. While it is being prepared there is none: says so, and goes on
//   a second one   leave it alone and go; so does HUP, and a reader of ours that has gone
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
  // `context` and `interrupts` must outlive it. Without `interrupts` Ctrl-C ends us and nothing
  // else. `run` is the play.
  Playing(Context& context, Interrupts* interrupts, std::string project, std::string run);

  // With what to exit, once the session is at rest and all is printed. Nothing: we were told to go.
  Result<std::optional<int>> until_rest();

 private:
  void hear();
  void hear(int signal);
  void leave();
  void stop();
  Result<> follow();
  void see(const SseEvent& event);
  Result<> look_whether_over();
  Result<> conclude();
  // What is known of a run. Nothing: nobody answers at the moment.
  Result<std::optional<boost::json::object>> look_at(const std::string& run);
  Result<> print();
  void say(const std::string& text);
  void wait();

  Context& context_;
  Interrupts* interrupts_;
  std::string project_;
  std::string run_;
  Client side_;  // For Stop, while the stream holds its own connection.
  Follower follower_;
  Output output_;
  std::string state_;
  std::optional<int> end_;
  bool said_why_ = false;  // The log itself has told what went wrong.
  bool over_ = false;
  bool leave_ = false;
  bool told_away_ = false;
  bool asked_ = false;    // Somebody wanted it to stop, and has not been told that this is ignored.
  bool ignored_ = false;  // … has been told: counts until it has come further.
  bool stop_due_ = false;
  int silent_ends_ = 0;  // Streams that ended without a word.
  std::int64_t unanswered_since_ = 0;
};

// With what `drover play` exits for a session at rest (S1): 0 or 130 if it was stopped, and else as
// the run of the step that it failed at; 125 if there is none, or it says nothing. Pure.
int exit_code_of_play(const boost::json::object& session, const boost::json::object& step);

}  // namespace drover::cli
