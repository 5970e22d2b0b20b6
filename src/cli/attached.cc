#include "cli/attached.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/fields.h"
#include "cli/input.h"
#include "cli/words.h"
#include "run/life.h"

namespace drover::cli {
namespace {

std::int64_t now_ms() {
  return SystemClock{}.mono_ns() / 1'000'000;
}

bool is_terminal_type(std::string_view type) {
  return type.starts_with("run.") && [&] {
    const auto state = run::state_named(type.substr(4));
    return state && run::is_terminal(*state);
  }();
}

}  // namespace

Interrupts::Interrupts() {
  sigset_t mine;
  ::sigemptyset(&mine);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    // A blocked signal is queued even if it is ignored: leave the ignored ones alone.
    if (now.sa_handler != SIG_IGN) ::sigaddset(&mine, signal);
  }
  ::sigprocmask(SIG_BLOCK, &mine, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // A reader that left is an event of the loop.
  fd_ = Fd(::signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK));
}

int Interrupts::take() {
  signalfd_siginfo info{};
  return ::read(fd(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

Attached::Attached(Context& context, Interrupts& interrupts, std::string run, Wishes wishes)
    : context_(context),
      interrupts_(interrupts),
      run_(std::move(run)),
      wishes_(wishes),
      side_(context.client.another()),
      follower_(context.client, wire::Op::runs_events,
                {.segment = run_, .query = {{"output", "true"}}}),
      began_ms_(now_ms()),
      input_open_(wishes.forward) {}

Result<std::optional<boost::json::object>> Attached::until_end() {
  while (!end_ || !output_.empty()) {
    hear();
    if (leave_) return std::optional<boost::json::object>{};
    print();
    if (output_.empty() && !end_) {
      const Result<std::vector<SseEvent>> events = follower_.turn();
      if (!events) return std::unexpected(events.error());
      for (const SseEvent& event : *events) {
        if (auto seen = see(event); !seen) return std::unexpected(seen.error());
      }
      print();
    }
    if (follower_.away() && !told_away_ && !end_) {
      context_.screen.notice("the daemon is away and " + run_ + " goes on; waiting for the daemon");
    }
    told_away_ = follower_.away();
    pass_input();
    if (end_ && output_.empty()) break;
    show_progress();
    wait();
  }
  context_.screen.erase_progress();
  return std::move(end_);
}

void Attached::hear() {
  while (const int signal = interrupts_.take()) {
    if (signal == SIGHUP || (follower_.away() && cancels_wanted_ > 0)) {
      context_.screen.notice(run_ + " goes on; `drover wait " + run_ + "` waits for it");
      leave_ = true;
      return;
    }
    ++cancels_wanted_;
    context_.screen.notice(cancels_wanted_ == 1
                               ? "canceling " + run_ + "; Ctrl-C again kills it at once"
                               : "killing " + run_);
  }
  if (cancels_sent_ < cancels_wanted_ && !follower_.away() && !end_) cancel();
}

void Attached::cancel() {
  cancels_sent_ = cancels_wanted_;
  const Call call{.segment = run_, .body = cancels_wanted_ > 1 ? R"({"grace":"0ms"})" : "{}"};
  // If the run has ended meanwhile its terminal event is on the way, and says so better.
  if (const auto done = side_.call(wire::Op::runs_cancel, call); !done) {
    context_.screen.notice("could not cancel: " + done.error().message);
  }
}

Result<> Attached::see(const SseEvent& event) {
  boost::system::error_code bad;
  const boost::json::value value = boost::json::parse(event.data, bad);
  if (bad || !value.is_object()) {
    return fail(ErrorCode::unavailable, "bad_answer", "the daemon sent an event that is not JSON");
  }
  const boost::json::object& data = value.get_object();
  if (event.type == "run.output") {
    Result<std::string> bytes = bytes_of(data);
    if (!bytes) return std::unexpected(bytes.error());
    bytes_ += static_cast<std::int64_t>(bytes->size());
    const int fd = text_in(data, "stream") == "stderr" ? STDERR_FILENO : STDOUT_FILENO;
    if (!wishes_.silent) output_.add(fd, std::move(*bytes));
    state_ = cancels_wanted_ > 0 ? "canceling" : "running";
  } else if (event.type == "run.started") {
    state_ = "running";
  } else if (event.type == "run.starting") {
    state_ = "starting";
  } else if (event.type == "run.cancel_requested") {
    state_ = "canceling";
  } else if (is_terminal_type(event.type)) {
    end_ = object_in(data, "data");
  }
  return {};
}

void Attached::print() {
  if (output_.empty()) return;
  context_.screen.erase_progress();
  const int fd = output_.fd();
  if (output_.flush()) return;
  output_.give_up(output_.fd() < 0 ? fd : output_.fd());
  if (!output_.gave_up(STDOUT_FILENO) || end_ || cancels_wanted_ > 0) return;
  context_.screen.notice("nobody reads the output any more; canceling " + run_);
  ++cancels_wanted_;
  cancel();
}

void Attached::read_input() {
  std::array<char, limits::kLogChunkBytes> buffer;
  const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (got > 0) {
    typed_.assign(buffer.data(), static_cast<size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    input_open_ = false;
  }
}

// Before it runs, a run has no standard input to offer anything to.
void Attached::pass_input() {
  const bool able = wishes_.forward && !input_ended_ && state_ != "queued" &&
                    state_ != "starting" && !follower_.away() && !end_;
  if (!able) return;
  if (typed_.empty() && input_open_) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (::poll(&ready, 1, 0) > 0) read_input();
  }
  Result<> passed;
  if (!typed_.empty() && now_ms() >= offer_at_ms_) {
    const Result<size_t> took = offer_input(side_, run_, typed_);
    if (took) {
      typed_.erase(0, *took);
      offer_at_ms_ = typed_.empty() ? 0 : now_ms() + limits::kInputPauseMs;
    } else {
      passed = std::unexpected(took.error());
    }
  }
  if (passed && typed_.empty() && !input_open_) {
    passed = close_input(side_, run_);
    input_ended_ = true;
  }
  if (passed) return;
  input_ended_ = true;
  // A run that has ended, or has closed its input, is no reason to complain.
  if (passed.error().code != ErrorCode::conflict && passed.error().code != ErrorCode::not_found) {
    context_.screen.notice("input is no longer passed on: " + passed.error().message);
  }
}

void Attached::show_progress() {
  const std::int64_t elapsed = now_ms() - began_ms_;
  if (elapsed < limits::kProgressAfterMs || !context_.screen.shows_progress()) return;
  // Not into the middle of a line that the run has begun.
  if (!wishes_.silent && !output_.at_line_start()) return;
  context_.screen.progress(fmt::format("{} · {} · {} of output · {}",
                                       follower_.away() ? "daemon away" : state_,
                                       say_elapsed(elapsed), say_bytes(bytes_), run_));
}

int Attached::wait_ms() const {
  std::int64_t ms = end_ || !output_.empty() ? -1 : follower_.wait_ms();
  const auto at_most = [&](std::int64_t bound) { ms = ms < 0 ? bound : std::min(ms, bound); };
  if (context_.screen.shows_progress()) {
    at_most(limits::kProgressAfterMs - (now_ms() - began_ms_) % limits::kProgressAfterMs);
  }
  if (offer_at_ms_ != 0) at_most(std::max<std::int64_t>(0, offer_at_ms_ - now_ms()));
  return static_cast<int>(ms);
}

void Attached::wait() {
  std::array<pollfd, 3> watched{};
  nfds_t count = 0;
  watched[count++] = {interrupts_.fd(), POLLIN, 0};
  if (!output_.empty()) {
    watched[count++] = {output_.fd(), POLLOUT, 0};
  } else if (follower_.fd() >= 0) {
    watched[count++] = {follower_.fd(), POLLIN, 0};
  }
  const bool listening = input_open_ && !input_ended_ && typed_.empty() && state_ != "queued" &&
                         state_ != "starting" && !follower_.away();
  if (listening) watched[count++] = {STDIN_FILENO, POLLIN, 0};
  ::poll(watched.data(), count, wait_ms());
}

}  // namespace drover::cli
