// Attached is a run in the foreground: prints its output, sends it our input, and cancels it on
// Ctrl-C. One loop over one poll; nothing in it blocks for long.
//
//   Ctrl-C, TERM   cancel the run and wait; a second time: without grace
//   HUP            detach: leave it running and exit (the terminal closed; a run outlives it)
//   our standard output closed   cancel, as the end of a pipeline's reader ends a command
//
// With `attach` (`visiting`), none of the three cancels the run: they only detach.
//
// For a run with a terminal of its own, our terminal is raw: it gets every key including Ctrl-C,
// except the detach keys, and its size follows ours. Our terminal is restored when we leave.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "cli/client/follow.h"
#include "cli/context.h"
#include "cli/terminal/detach_keys.h"
#include "cli/terminal/interrupts.h"
#include "cli/terminal/raw_terminal.h"
#include "cli/terminal/terminal_modes.h"
#include "cli/views/output.h"

namespace drover::cli {

class Attached {
 public:
  struct AttachOptions {
    bool silent = false;    // Read the output, print nothing of it.
    bool forward = false;   // Our standard input goes to the run.
    bool terminal = false;  // The run has a terminal.
    bool visiting = false;  // It is not ours to end.
    bool sized = false;     // It was told our size: again would take it from who typed meanwhile.
    std::optional<DetachKeys> keys = {};
    std::uint64_t offset = 0;      // Where in its output to begin.
    std::string state = "queued";  // As far as is known.
    int cancels = 0;               // Asked for before it was there: of the attempt before.
  };
  // `context` and `interrupts` must outlive it.
  Attached(Context& context, Interrupts& interrupts, std::string run, AttachOptions wishes);

  // The data of the run's terminal event. Nothing: we were told to go, and the run goes on.
  Result<std::optional<boost::json::object>> until_end();
  // What is on the run's screen, before anything else.
  void draw(std::string bytes);
  // How often somebody asked for its end. Heard too late, it is for the attempt that follows.
  int cancels() const { return cancels_wanted_; }
  // The signal that made us leave a run that continues; HUP also when our terminal, or the reader
  // of our output, has gone. 0: we did not leave.
  int left_by() const { return left_by_; }
  bool detached() const { return wishes_.keys && wishes_.keys->detached(); }

 private:
  Result<std::optional<boost::json::object>> go_on();
  bool is_running() const { return state_ != "queued" && state_ != "starting"; }
  // The screen is the run's: a line of ours would stand in the middle of it.
  bool shows_run() const { return raw_ || (wishes_.terminal && !wishes_.silent && is_running()); }
  void take_terminal();
  void give_terminal_back();
  void say(const std::string& text);
  void hear();
  void hear(int signal);
  void leave(int signal);
  void pause();
  void resize();
  void cancel();
  Result<> see(const SseEvent& event);
  void print();
  void read_input();
  bool listens() const;
  void pass_input();
  void show_progress();
  int wait_ms() const;
  void wait();

  Context& context_;
  Interrupts& interrupts_;
  std::string run_;
  AttachOptions wishes_;
  Client side_;  // For cancel and input, while the stream holds its own connection.
  Follower follower_;
  Output output_;
  std::optional<boost::json::object> end_;
  std::string state_;
  std::int64_t began_ms_;
  std::int64_t bytes_ = 0;
  int cancels_wanted_ = 0;
  int cancels_sent_ = 0;
  int left_by_ = 0;
  bool told_away_ = false;
  bool input_open_ = false;  // Somebody may still type.
  bool input_ended_ = false;
  std::string typed_;
  std::int64_t offer_at_ms_ = 0;
  std::int64_t keys_since_ms_ = 0;  // When detach keys began to be held back.
  std::optional<RawTerminal> raw_;
  TerminalModes modes_;
  bool resized_ = false;  // The run is to be told.
};

}  // namespace drover::cli
