#include "cli/commands/play/playing.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <boost/json/parse.hpp>
#include <csignal>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/commands/play/play_view.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "wire/errors.h"
#include "wire/operations/runs.h"
#include "wire/play/operations.h"

namespace drover::cli {

using boost::json::object;

namespace {

// A short deadline for requests, so that Ctrl-C is handled between two of them.
std::int64_t soon() {
  return mono_ms() + limits::kProgressAfterMs;
}

}  // namespace

Playing::Playing(Context& context, Interrupts* interrupts, std::string project, std::string run)
    : context_(context),
      interrupts_(interrupts),
      project_(std::move(project)),
      run_(std::move(run)),
      side_(context.client.another()),
      subscription_(context.client, wire::play::log,
                    {.segment = project_, .query = {{"run", run_}}}) {}

Result<std::optional<int>> Playing::until_rest() {
  while (!end_ || !output_.empty()) {
    handle_signals();
    if (output_.empty() && !over_ && !leave_) {
      if (auto ok = follow(); !ok) return std::unexpected(ok.error());
    }
    if (over_ && !end_ && !leave_) {
      if (auto ok = conclude(); !ok) return std::unexpected(ok.error());
    }
    if (auto ok = print(); !ok) return std::unexpected(ok.error());
    if (leave_) return std::optional<int>{};
    wait();
  }
  return end_;
}

void Playing::handle_signals() {
  if (interrupts_ == nullptr) return;
  while (const int signal = interrupts_->take()) handle_signal(signal);
  // Send no request while the daemon is away: it would block, and delay the next Ctrl-C.
  if (stop_due_ && !leave_ && !over_ && !subscription_.away()) stop();
}

void Playing::handle_signal(int signal) {
  if (leave_) return;
  if (signal == SIGHUP || asked_ || ignored_) return leave();
  asked_ = true;
  stop_due_ = true;
  if (subscription_.away()) {
    say("the daemon is unreachable; the play will be stopped as soon as it is back; press Ctrl-C "
        "again to detach");
  }
}

void Playing::leave() {
  leave_ = true;
  if (over_) return;
  say("the play continues; `drover play log -f " + project_ + "` follows it, `drover play stop " +
      project_ + "` stops it");
}

void Playing::stop() {
  stop_due_ = false;
  const auto answer = side_.ask(wire::play::stop, {.segment = project_,
                                                   .body = json_text(object{{"run_id", run_}}),
                                                   .until_mono_ms = soon(),
                                                   .at_once = true});
  if (!answer) {
    stop_due_ = may_come_back(answer.error());
    if (!stop_due_) say("cannot stop the play: " + answer.error().message);
  } else if (!flag_in(*answer, "ignored")) {
    const bool waits = text_in(object_in(*answer, "session"), "state") == "preparing";
    say(waits ? "stopping the play: its waiting step will not start" : "stopping the runtime");
  } else if (!is_at_rest(object_in(*answer, "session"))) {  // At rest, an event says so.
    asked_ = false;
    ignored_ = true;
    say(text_in(*answer, "why") + "; press Ctrl-C again to detach");
  }
}

Result<> Playing::follow() {
  const Result<std::vector<SseEvent>> events = subscription_.turn();
  if (!events) return std::unexpected(events.error());
  for (const SseEvent& event : *events) see(event);
  if (!events->empty()) {
    silent_ends_ = 0;
    unanswered_since_ = 0;
  }
  if (over_) return {};
  if (subscription_.ended()) return look_whether_over();
  if (subscription_.away() && !noticed_away_) {
    say("the daemon is unreachable; the play continues; waiting for the daemon");
  }
  noticed_away_ = subscription_.away();
  return {};
}

void Playing::see(const SseEvent& event) {
  boost::system::error_code bad;
  const boost::json::value value = boost::json::parse(event.data, bad);
  if (bad || !value.is_object()) return;
  const object& data = value.get_object();
  if (event.type == "play.log") {
    said_why_ = said_why_ || !text_in(data, "code").empty();
    output_.add(STDOUT_FILENO,
                context_.json ? json_text(data) + "\n" : log_line(context_.screen, data));
  }
  if (event.type != "play.changed") return;
  const object& session = object_in(data, "data");
  over_ = is_at_rest(session);
  if (text_in(session, "state") == state_) return;
  state_ = text_in(session, "state");
  ignored_ = false;  // There may be something to stop now.
  if (context_.json || (over_ && said_why_)) return;
  output_.add(STDOUT_FILENO,
              play_line(context_.screen, say_state(session), color_of_session(session)));
}

// Called when the stream ended: either the play is over, or the daemon has stopped.
Result<> Playing::look_whether_over() {
  const auto record = look_at(run_);
  if (!record) return std::unexpected(record.error());
  // The last events may have been lost on the way: open the stream once more before concluding.
  over_ = *record && has_ended(**record) && ++silent_ends_ > 1;
  return {};
}

Result<> Playing::conclude() {
  const auto record = look_at(run_);
  if (!record) return std::unexpected(record.error());
  if (!*record) return {};
  const object session = session_of(**record);
  const std::string step = text_in(object_in(session, "runs"), text_in(session, "step"));
  std::optional<object> last = object{};
  if (text_in(session, "state") != "stopped" && !step.empty()) {
    auto found = look_at(step);
    if (found) last = std::move(*found);  // If it failed, the run was removed.
    if (!last) return {};
  }
  end_ = exit_code_of_play(session, *last);
  if (context_.json) output_.add(STDOUT_FILENO, json_text(session) + "\n");
  return {};
}

Result<std::optional<object>> Playing::look_at(const std::string& run) {
  auto record =
      side_.ask(wire::runs::get, {.segment = run, .until_mono_ms = soon(), .at_once = true});
  if (record) {
    unanswered_since_ = 0;
    return std::optional(std::move(*record));
  }
  if (unanswered_since_ == 0) unanswered_since_ = mono_ms();
  const bool may_come =
      may_come_back(record.error()) && mono_ms() < unanswered_since_ + limits::kComeBackMs;
  if (may_come) return std::optional<object>{};
  return std::unexpected(record.error());
}

// If the reader of our output is gone, detach: the play continues.
Result<> Playing::print() {
  const Result<> printed = output_.flush();
  if (printed) return {};
  output_.give_up(STDOUT_FILENO);
  if (interrupts_ == nullptr || printed.error().reason != "reader_gone") return printed;
  if (!over_) leave();
  return {};
}

// Prints a notice only if that does not block: a reader that does not take our output may not take
// notices either, and Ctrl-C must still work.
void Playing::say(const std::string& text) {
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0) context_.screen.notice(text);
}

void Playing::wait() {
  std::array<pollfd, 2> watched{{{-1, POLLIN, 0}, {-1, POLLIN, 0}}};
  if (interrupts_ != nullptr) watched[0].fd = interrupts_->fd();
  int ms = -1;
  if (!output_.empty()) {
    watched[1] = {output_.fd(), POLLOUT, 0};
  } else if (over_) {
    ms = end_ ? 0 : static_cast<int>(limits::kComeBackPauseMs);
  } else {
    watched[1].fd = subscription_.fd();
    ms = subscription_.wait_ms();
    // Retry an unanswered Stop soon, even if the log is quiet.
    if (stop_due_ && !subscription_.away()) ms = static_cast<int>(limits::kComeBackPauseMs);
  }
  ::poll(watched.data(), watched.size(), ms);
}

int exit_code_of_play(const object& session, const object& step) {
  if (text_in(session, "state") == "stopped") {
    const auto code = number_in(session, "exit_code");
    return code ? static_cast<int>(*code) : wire::exit_code::kCanceled;
  }
  const int code = has_ended(step) ? exit_code_of(step) : 0;
  return code != 0 ? code : wire::exit_code::kCouldNotRun;
}

}  // namespace drover::cli
