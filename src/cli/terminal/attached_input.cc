// Input of an attached run: keys, bytes, and the size of our terminal.
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/clock.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/client/output_page.h"
#include "cli/input.h"
#include "cli/terminal/attached.h"
#include "cli/views/run_view.h"
#include "wire/operations/runs.h"

namespace drover::cli {
void Attached::draw(std::string bytes) {
  modes_.see(bytes);
  output_.add(STDOUT_FILENO, std::move(bytes));
}

void Attached::draw(const CallAnswer& output) {
  (void)pass_page(
      output, [&](std::string_view bytes) { return seam_.pass(STDOUT_FILENO, bytes); },
      [&](std::uint64_t size) { return seam_.gap(size); });
}

// Makes our terminal raw once the run has started; until then Ctrl-C is for us. Called before any
// output is printed, because a user who sees output may type.
void Attached::take_terminal() {
  if (raw_ || !options_.terminal || !options_.forward || !is_running() || end_) return;
  if (::isatty(STDIN_FILENO) == 1) raw_.emplace();
}

void Attached::give_terminal_back() {
  const std::string undo = modes_.undo();
  if (!undo.empty() && ::isatty(STDOUT_FILENO) == 1) (void)write_all(STDOUT_FILENO, undo);
  raw_.reset();
  // Our next notice must start on a line of its own.
  const bool within = !output_.at_line_start() && !modes_.on_other_screen();
  if (options_.terminal && within) (void)write_all(STDERR_FILENO, "\r\n");
  if (missed_bytes_ == 0) return;
  context_.screen.notice(grouped(std::exchange(missed_bytes_, 0)) +
                         " bytes of the output were not shown here, because they are not kept");
}

void Attached::say(const std::string& text) {
  if (raw_) raw_->give_back();
  if (options_.terminal && !output_.at_line_start()) (void)write_all(STDERR_FILENO, "\r\n");
  context_.screen.notice(text);
  if (raw_) raw_->take();
}

void Attached::say_missing(const MissingBytes& missing) {
  if (shows_run() && context_.screen.output_is_terminal()) {
    missed_bytes_ += missing.not_kept;
  } else {
    say(say_gap(missing));
  }
}

// We received SIGTSTP from outside: the Ctrl-Z key goes to the run.
void Attached::pause() {
  const bool shown = options_.terminal && !options_.silent && ::isatty(STDOUT_FILENO) == 1;
  if (shown) (void)write_all(STDOUT_FILENO, modes_.undo());
  if (raw_) raw_->give_back();
  ::raise(SIGSTOP);
  if (raw_) raw_->take();
  resized_ = true;
  if (!shown || !is_running() || subscription_.away() || end_) return;
  const auto screen =
      side_.call(wire::runs::screen, {.segment = run_, .query = {{"format", "ansi"}}});
  if (!screen) return;
  modes_ = {};
  draw(screen->body);
  subscription_.skip_output_to(std::strtoull(screen->next_offset.c_str(), nullptr, 10));
}

void Attached::resize() {
  const bool can =
      options_.terminal && options_.forward && is_running() && !subscription_.away() && !end_;
  if (!resized_ || !can) return;
  resized_ = false;
  if (::isatty(STDOUT_FILENO) != 1 && ::isatty(STDIN_FILENO) != 1) return;
  const TerminalSize size = size_of_terminal();
  // If the run has finished meanwhile, its final event says so.
  (void)side_.call(wire::runs::resize,
                   {.segment = run_,
                    .body = fmt::format(R"({{"rows":{},"cols":{}}})", size.rows, size.columns)});
}

// A raw terminal is read even if the run cannot take input: the keys may be those that detach.
bool Attached::listens() const {
  if (!input_open_ || input_ended_ || end_) return false;
  if (raw_) return typed_.size() < limits::kInputPendingMax;
  return typed_.empty() && is_running() && !subscription_.away();
}

void Attached::read_input() {
  std::array<char, limits::kLogChunkBytes> buffer;
  const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) return;
  if (got > 0) {
    const std::string_view bytes(buffer.data(), static_cast<size_t>(got));
    typed_ += raw_ && options_.keys ? options_.keys->pass(bytes) : std::string(bytes);
    keys_since_ms_ = options_.keys && options_.keys->holds() ? mono_ms() : 0;
    return;
  }
  input_open_ = false;
  // A raw terminal has no end of input, so it is gone. Detach; do not cancel the run.
  if (raw_) leave(SIGHUP);
}

// A run has no standard input before it is running.
void Attached::pass_input() {
  if (listens()) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (::poll(&ready, 1, 0) > 0) read_input();
  }
  if (keys_since_ms_ != 0 && mono_ms() >= keys_since_ms_ + limits::kDetachPauseMs) {
    keys_since_ms_ = 0;
    typed_ += options_.keys->flush();
  }
  const bool able =
      options_.forward && !input_ended_ && is_running() && !subscription_.away() && !end_;
  if (!able || left_by_ != 0) return;
  Result<> passed;
  if (!typed_.empty() && mono_ms() >= offer_at_ms_) {
    std::optional<TerminalSize> at;
    if (raw_ && options_.terminal) at = size_of_terminal();
    const Result<size_t> took = offer_input(side_, run_, typed_, at);
    if (took) {
      typed_.erase(0, *took);
      offer_at_ms_ = typed_.empty() ? 0 : mono_ms() + limits::kInputPauseMs;
    } else {
      passed = std::unexpected(took.error());
    }
  }
  if (passed && typed_.empty() && !input_open_) {
    passed = close_input(side_, run_);
    input_ended_ = true;
  }
  if (passed) return;
  // The daemon died during the request, and may have passed the keys on. Never send them twice.
  if (raw_ && passed.error().code == ErrorCode::unavailable) {
    typed_.clear();
    return;
  }
  input_ended_ = true;
  // If the run has finished or closed its input, there is nothing to report.
  if (passed.error().code != ErrorCode::conflict && passed.error().code != ErrorCode::not_found) {
    say("input is no longer sent to " + run_ + ": " + passed.error().message);
  }
}

}  // namespace drover::cli
