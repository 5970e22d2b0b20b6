#include "cli/terminal/attached.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/fields.h"
#include "cli/plan.h"
#include "cli/views/progress_view.h"
#include "cli/views/run_view.h"
#include "cli/views/words.h"
#include "wire/operations/runs.h"
#include "wire/run_state.h"

namespace drover::cli {
namespace {

bool is_final_event(std::string_view type) {
  return type.starts_with("run.") && [&] {
    const auto state = wire::run_state_named(type.substr(4));
    return state && wire::is_finished(*state);
  }();
}

Pairs query_of(const Attached::AttachOptions& options) {
  Pairs query{
      {"output", "true"}, {"format", "frames"}, {"after", "0." + std::to_string(options.offset)}};
  if (options.exact) query.emplace_back("exact", "true");
  return query;
}

}  // namespace

Attached::Attached(Context& context, Interrupts& interrupts, std::string run, AttachOptions options)
    : context_(context),
      interrupts_(interrupts),
      run_(std::move(run)),
      options_(std::move(options)),
      side_(context.client.another()),
      subscription_(context.client, wire::runs::events,
                    {.segment = run_, .query = query_of(options_)}),
      seam_(
          CutLines::ended,
          [this](int stream, std::string_view bytes, bool) -> Result<> {
            output_.add(stream, std::string(bytes));
            return {};
          },
          [this](const MissingBytes& missing) { say_missing(missing); }),
      state_(options_.state),
      began_ms_(mono_ms()),
      cancels_wanted_(options_.cancels),
      input_open_(options_.forward),
      resized_(options_.never_cancels && !options_.sized) {}

Result<std::optional<boost::json::object>> Attached::until_end() {
  auto end = run_loop();
  give_terminal_back();
  return end;
}

Result<std::optional<boost::json::object>> Attached::run_loop() {
  while (!end_ || !output_.empty()) {
    handle_signals();
    if (left_by_ != 0) return std::optional<boost::json::object>{};
    take_terminal();
    print();
    if (output_.empty() && !end_) {
      Result<std::vector<SseEvent>> events = subscription_.turn();
      if (!events) return std::unexpected(events.error());
      for (SseEvent& event : *events) {
        if (auto seen = see(std::move(event)); !seen) return std::unexpected(seen.error());
      }
      take_terminal();
      print();
    }
    if (subscription_.away() && !noticed_away_ && !end_) {
      say("the daemon is unreachable; " + run_ + " keeps running; waiting for the daemon");
    }
    noticed_away_ = subscription_.away();
    resize();
    pass_input();
    if (left_by_ != 0 || detached()) return std::optional<boost::json::object>{};
    if (end_ && output_.empty()) break;
    say_why_queued();
    show_progress();
    wait();
  }
  context_.screen.erase_progress();
  if (unwritten_) return std::unexpected(*unwritten_);
  return std::move(end_);
}

void Attached::handle_signals() {
  while (const int signal = interrupts_.take()) {
    handle_signal(signal);
    if (left_by_ != 0) return;
  }
  if (cancels_sent_ < cancels_wanted_ && !subscription_.away() && !end_) cancel();
}

void Attached::handle_signal(int signal) {
  if (signal == SIGWINCH) {
    resized_ = true;
  } else if (signal == SIGTSTP) {
    pause();
  } else if (options_.never_cancels || signal == SIGHUP ||
             (subscription_.away() && cancels_wanted_ > 0)) {
    leave(signal);
  } else {
    ++cancels_wanted_;
    // A queued run has no process to kill.
    const std::string_view more = state_ == "queued" ? "" : "; press Ctrl-C again to kill it";
    say(cancels_wanted_ == 1 ? fmt::format("canceling {}{}", run_, more) : "killing " + run_);
  }
}

void Attached::leave(int signal) {
  left_by_ = signal;
  say(run_ + " keeps running; `drover " + (options_.never_cancels ? "attach " : "wait ") + run_ +
      (options_.never_cancels ? "` attaches to it again" : "` waits for it"));
}

void Attached::cancel() {
  cancels_sent_ = cancels_wanted_;
  const Call call{.segment = run_, .body = cancels_wanted_ > 1 ? R"({"grace":"0ms"})" : "{}"};
  // If the run has finished meanwhile, its final event will arrive and is the better report.
  if (const auto done = side_.call(wire::runs::cancel, call); !done) {
    say("cannot cancel " + run_ + ": " + done.error().message);
  }
}

Result<> Attached::see(SseEvent event) {
  if (event.stream != 0) {
    bytes_ += static_cast<std::int64_t>(event.data.size());
    if (options_.terminal) modes_.see(event.data);
    state_ = cancels_wanted_ > 0 ? "canceling" : "running";
    if (options_.silent) return {};
    if (seam_.passes_whole(event.stream, event.data)) {
      output_.add(event.stream, std::move(event.data));
    } else {
      (void)seam_.pass(event.stream, event.data);
    }
    return {};
  }
  boost::system::error_code bad;
  const boost::json::value value = boost::json::parse(event.data, bad);
  if (bad || !value.is_object()) {
    return fail(ErrorCode::unavailable, "bad_answer", "the daemon sent an event that is not JSON");
  }
  const boost::json::object& data = value.get_object();
  if (event.type == "run.gap") {
    if (options_.silent) return {};
    if (raw_) {
      missed_bytes_ += gap_bytes(data);  // A newline would disturb what the run draws.
    } else {
      (void)seam_.gap(gap_bytes(data));
    }
  } else if (event.type == "run.started") {
    state_ = "running";
  } else if (event.type == "run.starting") {
    state_ = "starting";
  } else if (event.type == "run.cancel_requested") {
    state_ = "canceling";
  } else if (event.type == "run.progress") {
    const boost::json::object& progress = object_in(data, "data");
    if (text_in(progress, "by") == "run") said_ = say_progress(progress);
  } else if (is_final_event(event.type)) {
    end_ = object_in(data, "data");
    (void)seam_.finish();
  }
  return {};
}

void Attached::print() {
  if (output_.empty()) return;
  context_.screen.erase_progress();
  const int fd = output_.fd();
  const auto flushed = output_.flush();
  if (flushed) return;
  output_.give_up(output_.fd() < 0 ? fd : output_.fd());
  // A reader that has gone knows what it has read. A full disk must not look like success.
  const bool was_closed = flushed.error().reason == "reader_gone";
  if (!was_closed) unwritten_ = flushed.error();
  if (!output_.gave_up(STDOUT_FILENO) || end_ || cancels_wanted_ > 0) return;
  if (options_.never_cancels) return leave(SIGHUP);
  say((was_closed ? "standard output was closed" : flushed.error().message) + "; canceling " +
      run_);
  ++cancels_wanted_;
  cancel();
}

void Attached::show_progress() {
  const std::int64_t elapsed = mono_ms() - began_ms_;
  if (elapsed < limits::kProgressAfterMs || !context_.screen.shows_progress() || shows_run())
    return;
  // Do not print into a line that the run has not finished.
  if (!options_.silent && !output_.at_line_start()) return;
  context_.screen.progress(fmt::format(
      "{} · {}{}{} · {} of output · {}", subscription_.away() ? "daemon unreachable" : state_,
      said_, said_.empty() ? "" : " · ", say_elapsed(elapsed), say_bytes(bytes_), run_));
}

bool Attached::must_explain_wait() const {
  return !noticed_wait_ && state_ == "queued" && !options_.silent && cancels_wanted_ == 0 &&
         !end_ && !subscription_.away();
}

// Once, if the run has not started after a moment: in a full or paused lane nothing else is printed
// for as long as it waits.
void Attached::say_why_queued() {
  if (!must_explain_wait() || mono_ms() - began_ms_ < limits::kProgressAfterMs) return;
  noticed_wait_ = true;
  // Meanwhile nobody reads the keyboard, and the hint is not worth an error: the stream continues.
  const auto run = side_.ask(
      wire::runs::get,
      {.segment = run_, .until_mono_ms = mono_ms() + limits::kProgressAfterMs, .at_once = true});
  if (!run) return;
  const std::string wait = say_wait(*run, SystemClock{}.wall_ms());
  if (!wait.empty()) say(run_ + " is queued: " + wait + "; `drover why " + run_ + "` says more");
}

int Attached::wait_ms() const {
  std::int64_t ms = end_ || !output_.empty() ? -1 : subscription_.wait_ms();
  const auto at_most = [&](std::int64_t bound) { ms = ms < 0 ? bound : std::min(ms, bound); };
  if (must_explain_wait()) {
    at_most(std::max<std::int64_t>(0, began_ms_ + limits::kProgressAfterMs - mono_ms()));
  }
  if (context_.screen.shows_progress() && !shows_run()) {
    at_most(limits::kProgressAfterMs - (mono_ms() - began_ms_) % limits::kProgressAfterMs);
  }
  if (keys_since_ms_ != 0) {
    at_most(std::max<std::int64_t>(0, keys_since_ms_ + limits::kDetachPauseMs - mono_ms()));
  }
  if (offer_at_ms_ != 0) at_most(std::max<std::int64_t>(0, offer_at_ms_ - mono_ms()));
  return static_cast<int>(ms);
}

void Attached::wait() {
  std::array<pollfd, 3> watched{};
  nfds_t count = 0;
  watched[count++] = {interrupts_.fd(), POLLIN, 0};
  if (!output_.empty()) {
    watched[count++] = {output_.fd(), POLLOUT, 0};
  } else if (subscription_.fd() >= 0) {
    watched[count++] = {subscription_.fd(), POLLIN, 0};
  }
  if (listens()) watched[count++] = {STDIN_FILENO, POLLIN, 0};
  ::poll(watched.data(), count, wait_ms());
}

}  // namespace drover::cli
