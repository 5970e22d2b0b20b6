// Attached is a run in the foreground: what it prints comes out of us, what is typed goes in, and
// Ctrl-C ends it. One loop over one poll; nothing in it blocks for long.
//
//   Ctrl-C, TERM   cancel the run and wait; a second time: without grace
//   HUP            leave it running and go (the terminal closed; a run outlives terminals)
//   our standard output closed   cancel, as a pipeline's reader that leaves would end the command
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "base/fd.h"
#include "cli/context.h"
#include "cli/follow.h"
#include "cli/output.h"

namespace drover::cli {

// Takes INT, TERM and HUP out of their usual course and makes them readable. What was ignored when
// we were started (nohup, a background job) stays ignored. Make it before the run is asked for, so
// that no Ctrl-C falls between.
class Interrupts {
 public:
  Interrupts();
  int fd() const { return fd_.get(); }
  int take();  // The next signal, or 0.

 private:
  Fd fd_;
};

class Attached {
 public:
  struct Wishes {
    bool silent = false;   // Read the output, print nothing of it.
    bool forward = false;  // Our standard input goes to the run.
  };
  // `context` and `interrupts` must outlive it.
  Attached(Context& context, Interrupts& interrupts, std::string run, Wishes wishes);

  // The data of the run's terminal event. Nothing: we were told to go, and the run goes on.
  Result<std::optional<boost::json::object>> until_end();

 private:
  void hear();
  void cancel();
  Result<> see(const SseEvent& event);
  void print();
  void read_input();
  void pass_input();
  void show_progress();
  int wait_ms() const;
  void wait();

  Context& context_;
  Interrupts& interrupts_;
  std::string run_;
  Wishes wishes_;
  Client side_;  // For cancel and input, while the stream holds its own connection.
  Follower follower_;
  Output output_;
  std::optional<boost::json::object> end_;
  std::string state_ = "queued";
  std::int64_t began_ms_;
  std::int64_t bytes_ = 0;
  int cancels_wanted_ = 0;
  int cancels_sent_ = 0;
  bool leave_ = false;
  bool told_away_ = false;
  bool input_open_ = false;  // Somebody may still type.
  bool input_ended_ = false;
  std::string typed_;
  std::int64_t offer_at_ms_ = 0;
};

}  // namespace drover::cli
