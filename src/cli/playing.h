// Playing is a play in the foreground: its execution log comes out of us from the first line on,
// and Ctrl-C stops its runtime.
//
//   Ctrl-C, TERM   stop the runtime. While it is being prepared there is none: says so, and goes on
//   a second one   leave it alone and go; so does HUP, and a reader of ours that has gone
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "cli/context.h"
#include "cli/follow.h"
#include "cli/interrupts.h"

namespace drover::cli {

class Playing {
 public:
  // `context` and `interrupts` must outlive it. Without `interrupts` Ctrl-C ends us and nothing
  // else. `run` is the play.
  Playing(Context& context, Interrupts* interrupts, std::string project, std::string run);

  // The session, once it is at rest and its log is told. Nothing: we were told to go.
  Result<std::optional<boost::json::object>> until_rest();

 private:
  void hear();
  void hear(int signal);
  void stop();
  Result<> see(const SseEvent& event);
  Result<> look_whether_over();

  Context& context_;
  Interrupts* interrupts_;
  std::string project_;
  std::string run_;
  Client side_;  // For Stop, while the stream holds its own connection.
  Follower follower_;
  std::string state_;
  bool said_why_ = false;  // The log itself has told what went wrong.
  bool over_ = false;
  bool leave_ = false;
  bool told_away_ = false;
  int asked_ = 0;        // How often somebody wanted it to stop.
  int silent_ends_ = 0;  // Streams that ended without a word.
};

// With what `drover play` exits for a session at rest (S1): 0 or 130 if it was stopped, and else as
// the step or the runtime did that it failed at; 125 if none of them says so.
Result<int> exit_code_of_play(Context& context, const boost::json::object& session);

}  // namespace drover::cli
