// Attached is a run in the foreground: prints its output, sends it our input, and cancels it on
// Ctrl-C. One loop over one poll; nothing in it blocks for long.
//
//   Ctrl-C, TERM   cancel the run and wait; a second time: without grace
//   HUP            the terminal closed: detach, which leaves the run running, and exit
//   our standard output closed   cancel, as SIGPIPE would kill a command
//
// With `attach` (`never_cancels`), none of the three cancels the run: they only detach.
//
// For a run with a terminal of its own, our terminal is raw: the run gets every key including
// Ctrl-C, except the detach keys, and its size follows ours. Our terminal is restored when we
// leave.
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
#include "cli/views/gap_seam.h"
#include "cli/views/output.h"

namespace drover::cli {

class Attached {
 public:
  struct AttachOptions {
    bool silent = false;         // Read the output, but print none of it.
    bool forward = false;        // Send our standard input to the run.
    bool terminal = false;       // The run has a terminal.
    bool never_cancels = false;  // `attach`.
    bool exact = false;          // Print every byte: the run was started with exact_output.
    bool sized = false;          // The run has our size; do not overwrite another client's later.
    std::optional<DetachKeys> keys = {};
    std::uint64_t offset = 0;      // Where to start in the output.
    std::string state = "queued";  // The last known state.
    int cancels = 0;               // Cancels requested during the previous attempt.
  };
  // `context` and `interrupts` must outlive it.
  Attached(Context& context, Interrupts& interrupts, std::string run, AttachOptions options);

  // Returns the data of the run's final event. Empty: we detached, and the run continues.
  Result<std::optional<boost::json::object>> until_end();
  // Prints the contents of the run's screen, before any other output.
  void draw(std::string bytes);
  // The same for output of a run without a terminal, and what is missing in it.
  void draw(const CallAnswer& output);
  // How many cancels were requested. If the attempt had already finished, the next attempt gets
  // them.
  int cancels() const { return cancels_wanted_; }
  // The signal that made us detach; also HUP if our terminal or the reader of our output is gone.
  // 0: we did not detach.
  int left_by() const { return left_by_; }
  bool detached() const { return options_.keys && options_.keys->detached(); }

 private:
  Result<std::optional<boost::json::object>> run_loop();
  bool is_running() const { return state_ != "queued" && state_ != "starting"; }
  // The run draws on the whole screen: a line of ours would corrupt it.
  bool shows_run() const { return raw_ || (options_.terminal && !options_.silent && is_running()); }
  void take_terminal();
  void give_terminal_back();
  void say(const std::string& text);
  void say_missing(const MissingBytes& missing);
  void handle_signals();
  void handle_signal(int signal);
  void leave(int signal);
  void pause();
  void resize();
  void cancel();
  Result<> see(SseEvent event);
  void print();
  void read_input();
  bool listens() const;
  void pass_input();
  void show_progress();
  bool must_explain_wait() const;
  void say_why_queued();
  int wait_ms() const;
  void wait();

  Context& context_;
  Interrupts& interrupts_;
  std::string run_;
  AttachOptions options_;
  Client side_;  // For cancel and input, because the stream occupies the other connection.
  EventSubscription subscription_;
  OutputQueue output_;
  GapSeam seam_;
  std::optional<Error> unwritten_;  // Why output was lost here, if not because a reader has gone.
  std::optional<boost::json::object> end_;
  std::string state_;
  std::string said_;  // The last progress that the run has reported.
  std::int64_t began_ms_;
  std::int64_t bytes_ = 0;
  std::uint64_t missed_bytes_ = 0;  // Gaps while the run drew on our screen: reported afterwards.
  int cancels_wanted_ = 0;
  int cancels_sent_ = 0;
  int left_by_ = 0;
  bool noticed_away_ = false;
  bool noticed_wait_ = false;
  bool input_open_ = false;  // More input may arrive.
  bool input_ended_ = false;
  std::string typed_;
  std::int64_t offer_at_ms_ = 0;
  std::int64_t keys_since_ms_ = 0;  // When the first detach key was held back.
  std::optional<RawTerminal> raw_;
  TerminalModes modes_;
  bool resized_ = false;  // The new size has to be sent to the run.
};

}  // namespace drover::cli
