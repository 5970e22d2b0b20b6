#include "cli/playing.h"

#include <poll.h>

#include <array>
#include <boost/json/parse.hpp>
#include <csignal>

#include "cli/fields.h"
#include "cli/play_view.h"
#include "cli/run_view.h"
#include "wire/errors.h"

namespace drover::cli {

using boost::json::object;

Playing::Playing(Context& context, Interrupts* interrupts, std::string project, std::string run)
    : context_(context),
      interrupts_(interrupts),
      project_(std::move(project)),
      run_(std::move(run)),
      side_(context.client.another()),
      follower_(context.client, wire::Op::projects_log,
                {.segment = project_, .query = {{"run", run_}}}) {}

Result<std::optional<object>> Playing::until_rest() {
  while (!over_) {
    hear();
    if (leave_) return std::optional<object>{};
    const Result<std::vector<SseEvent>> events = follower_.turn();
    if (!events) return std::unexpected(events.error());
    for (const SseEvent& event : *events) {
      if (auto ok = see(event); !ok) return std::unexpected(ok.error());
    }
    if (over_) break;
    if (!events->empty()) silent_ends_ = 0;
    if (follower_.away()) {
      if (auto ok = look_whether_over(); !ok && !told_away_) {
        context_.screen.notice("the daemon is away and the play goes on; waiting for the daemon");
        told_away_ = true;
      }
    } else {
      told_away_ = false;
    }
    std::array<pollfd, 2> watched{{{follower_.fd(), POLLIN, 0}, {-1, POLLIN, 0}}};
    if (interrupts_ != nullptr) watched[1].fd = interrupts_->fd();
    if (!over_) ::poll(watched.data(), watched.size(), follower_.wait_ms());
  }
  auto record = side_.ask(wire::Op::runs_get, {.segment = run_});
  if (!record) return std::unexpected(record.error());
  object session = object_in(*record, "session");
  for (const char* key : {"run_id", "exit_code", "signal", "started_at", "finished_at"}) {
    if (const auto* value = record->if_contains(key)) session[key] = *value;
  }
  return std::optional(std::move(session));
}

void Playing::hear() {
  if (interrupts_ == nullptr) return;
  while (const int signal = interrupts_->take()) hear(signal);
}

void Playing::hear(int signal) {
  leave_ = signal == SIGHUP || ++asked_ > 1;
  if (leave_) {
    context_.screen.notice("the play goes on; `drover play log -f " + project_ +
                           "` comes back to it, `drover play stop " + project_ + "` stops it");
  } else {
    stop();
  }
}

void Playing::stop() {
  const auto answer = side_.ask(wire::Op::projects_stop, {.segment = project_, .body = "{}"});
  if (!answer) {
    context_.screen.notice("could not stop it: " + answer.error().message);
  } else if (flag_in(*answer, "ignored")) {
    context_.screen.notice(text_in(*answer, "why") + "; Ctrl-C again leaves it alone");
  } else {
    const bool waits = text_in(object_in(*answer, "session"), "state") == "preparing";
    context_.screen.notice(waits ? "stopping it: what waits will not begin"
                                 : "stopping the runtime");
  }
}

Result<> Playing::see(const SseEvent& event) {
  boost::system::error_code bad;
  const boost::json::value value = boost::json::parse(event.data, bad);
  if (bad || !value.is_object()) return {};
  const object& data = value.get_object();
  if (event.type == "play.log") {
    said_why_ = said_why_ || text_in(data, "source") == "play";
    return context_.screen.print(context_.json ? json_text(data) + "\n"
                                               : log_line(context_.screen, data));
  }
  if (event.type != "play.changed") return {};
  const object& session = object_in(data, "data");
  over_ = is_at_rest(session);
  if (context_.json || text_in(session, "state") == state_ || (over_ && said_why_)) return {};
  state_ = text_in(session, "state");
  return context_.screen.print(
      play_line(context_.screen, say_state(session), color_of_session(session)));
}

// A stream that has nothing more to tell ends; and so does one whose daemon goes.
Result<> Playing::look_whether_over() {
  const auto record = side_.ask(wire::Op::runs_get, {.segment = run_});
  if (!record) return std::unexpected(record.error());
  // What was told last may have been lost on the way: look there once more.
  over_ = has_ended(*record) && ++silent_ends_ > 1;
  return {};
}

Result<int> exit_code_of_play(Context& context, const object& session) {
  const std::string state = text_in(session, "state");
  if (state == "stopped") {
    const auto code = number_in(session, "exit_code");
    return code ? static_cast<int>(*code) : wire::exit_code::kCanceled;
  }
  const std::string run = text_in(object_in(session, "runs"), text_in(session, "step"));
  if (!run.empty()) {
    const auto record = context.client.ask(wire::Op::runs_get, {.segment = run});
    const int code = record && has_ended(*record) ? exit_code_of(*record) : 0;
    if (code != 0) return code;
  }
  return wire::exit_code::kCouldNotRun;
}

}  // namespace drover::cli
