#include "cli/batch/each.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/limits.h"
#include "base/short_turns.h"
#include "base/text.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/words.h"
#include "wire/errors.h"
#include "wire/operations/health.h"
#include "wire/operations/lanes.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

}  // namespace

Each::Each(Context& context, Interrupts& interrupts, EachPlan plan)
    : context_(context),
      interrupts_(interrupts),
      plan_(std::move(plan)),
      jobs_(std::move(plan_.jobs)),
      began_ms_(mono_ms()),
      drawn_ms_(began_ms_) {
  for (size_t i = 0; i < plan_.at_once; ++i) {
    carriers_.emplace_back([this] { return context_.client.connect_again(); }, !plan_.detach);
  }
}

size_t Each::busy() const {
  return static_cast<size_t>(std::ranges::count_if(carriers_, &Carrier::busy));
}

Result<int> Each::until_end() {
  // Connects to the daemon, or starts it; from now on the daemon is expected to exist.
  if (const auto met = context_.client.call(wire::health::live, {}); !met) {
    return std::unexpected(met.error());
  }
  take_short_turns();
  rate_.see(0, mono_ms());
  for (;;) {
    handle_signals();
    if (leave_) break;
    if (cancels_ == 0) feed();
    if (busy() == 0 && (cancels_ > 0 || jobs_.inputs().has_ended())) break;
    show_progress();
    explain_wait();
    wait();
    if (auto turned = turn(); !turned) {
      context_.screen.erase_progress();
      if (const std::string line = still_active(turned.error()); !line.empty()) {
        context_.screen.notice(line);
      }
      return std::unexpected(turned.error());
    }
  }
  return print_summary();
}

Result<> Each::turn() {
  for (size_t i = 0; i < carriers_.size(); ++i) {
    Carrier& carrier = carriers_[i];
    if (!carrier.busy() || (carrier.fd() >= 0 && polls_[i + 2].revents == 0)) continue;
    if (auto taken = take(carrier); !taken) return taken;
  }
  if (polls_[1].revents != 0) return read_source();
  return {};
}

Result<> Each::read_source() {
  std::array<char, limits::kLogChunkBytes> buffer;
  const ssize_t got = ::read(plan_.source.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  if (got < 0) return fail_errno("cannot read the inputs", errno);
  if (got == 0) {
    jobs_.inputs().end();
  } else {
    jobs_.inputs().feed({buffer.data(), static_cast<size_t>(got)});
  }
  return {};
}

void Each::feed() {
  for (Carrier& carrier : carriers_) {  // Use all connections before pipelining.
    if (carrier.busy()) continue;
    std::optional<Job> job = jobs_.next();
    if (!job) return;
    carrier.carry(std::move(*job));
  }
  for (Carrier& carrier : carriers_) {
    if (!carrier.takes_next()) continue;
    std::optional<Job> job = jobs_.next();
    if (!job) return;
    if (job->body.size() > limits::kAheadBytesMax) return jobs_.give_back(std::move(*job));
    carrier.carry_next(std::move(*job));
  }
}

Result<> Each::take(Carrier& carrier) {
  do {
    const Result<std::optional<object>> record = carrier.turn();
    if (record && !*record) break;
    Job job = carrier.put_down();
    const Result<> printed = record ? report_outcome(**record, std::move(job.input))
                                    : report_refusal(record.error(), std::move(job.input));
    if (!printed) return printed;
    // The next run started before it could be withdrawn.
    if (cancels_ > 0 && carrier.busy()) {
      if (const auto run = find(carrier.job())) cancel(text_in(*run, "run_id"));
    }
  } while (carrier.has_more_answers());
  if (std::optional<Job> job = carrier.take_back()) jobs_.give_back(std::move(*job));
  return {};
}

Result<> Each::report_refusal(const Error& error, std::string input) {
  // If only this input is invalid, continue; any other error affects all inputs.
  if (error.code != ErrorCode::invalid || error.param != "command") {
    return std::unexpected(error);
  }
  ++done_;
  ++failed_;
  ++failed_in_["refused"];
  if (context_.json) {
    object out = outcome_of({}, input);
    out["state"] = "refused";
    out["message"] = error.message;
    return context_.screen.print(json_text(out) + "\n");
  }
  if (failures_.size() < limits::kFailuresShown) {
    failures_.push_back(failure_of(error, std::move(input)));
  }
  return {};
}

Result<> Each::report_outcome(const object& record, std::string input) {
  ++done_;
  const bool failed = !plan_.detach && text_in(record, "state") != "completed";
  if (failed) {
    ++failed_;
    ++failed_in_[text_in(record, "state")];
  }
  if (context_.json) {
    return context_.screen.print(json_text(outcome_of(record, input)) + "\n");
  }
  if (plan_.detach) return context_.screen.print(text_in(record, "run_id") + "\n");
  if (failed && failures_.size() < limits::kFailuresShown) {
    failures_.push_back(failure_of(record, std::move(input)));
  }
  return {};
}

void Each::handle_signals() {
  while (const int signal = interrupts_.take()) {
    const bool away = std::ranges::any_of(carriers_, &Carrier::away);
    if (signal == SIGHUP || away) {
      context_.screen.notice("the active runs continue; `drover ps` lists them");
      leave_ = true;
      cancels_ += away ? 1 : 0;
      return;
    }
    ++cancels_;
    context_.screen.notice(cancels_ == 1
                               ? "canceling the active runs; press Ctrl-C again to kill them"
                               : "killing the active runs");
    // Withdraw all pipelined jobs first: each cancel is a request, and a run that finishes
    // meanwhile would start the next one.
    for (Carrier& carrier : carriers_) carrier.withdraw_next();
    cancel_all();
  }
}

// We may only know the job's key. Sending the request again returns its run. If the first request
// has not arrived yet, this one creates the run, and the first one then finds it. If the request is
// refused, the carrier gets the same error.
Result<object> Each::find(const Job& job) {
  return context_.client.ask(wire::runs::create, {.body = job.body, .key = job.key});
}

void Each::cancel(const std::string& run) {
  const Call call{.segment = run, .body = cancels_ > 1 ? R"({"grace":"0ms"})" : "{}"};
  if (const auto done = context_.client.call(wire::runs::cancel, call); !done) {
    context_.screen.notice("cannot cancel a run: " + done.error().message);
  }
}

// Queued runs first: if a running one is canceled first, a queued one would start in its place.
void Each::cancel_all() {
  std::vector<std::string> started;
  std::vector<std::string> queued;
  for (const Carrier& carrier : carriers_) {
    if (!carrier.busy()) continue;
    const Result<object> run = find(carrier.job());
    if (!run) continue;
    (text_in(*run, "state") == "queued" ? queued : started).push_back(text_in(*run, "run_id"));
  }
  for (const std::string& run : queued) cancel(run);
  for (const std::string& run : started) cancel(run);
}

// If no run has finished after a while, says once whether the lane holds them up.
void Each::explain_wait() {
  if (explained_wait_ || done_ > 0 || busy() == 0 || cancels_ > 0) return;
  if (mono_ms() - began_ms_ < limits::kProgressAfterMs) return;
  explained_wait_ = true;
  if (plan_.detach || context_.json || std::ranges::any_of(carriers_, &Carrier::away)) return;
  const Result<object> lanes = context_.client.ask(wire::lanes::list, {});
  if (!lanes) return;
  for (const boost::json::value& lane : array_in(*lanes, "lanes")) {
    if (!lane.is_object() || text_in(lane.get_object(), "name") != plan_.lane) continue;
    const std::string line = say_lane_wait(lane.get_object(), busy());
    if (!line.empty()) context_.screen.notice(line);
  }
}

// Which runs an error leaves behind. If the daemon refused one request, it may have refused the
// others too.
std::string Each::still_active(const Error& error) {
  const bool refused = error.code == ErrorCode::invalid || error.code == ErrorCode::not_found ||
                       error.code == ErrorCode::conflict || error.code == ErrorCode::exhausted;
  std::int64_t active = 0;
  for (const Carrier& carrier : carriers_) {
    if (!carrier.busy()) continue;
    const Result<object> run = refused ? find(carrier.job()) : object();
    if (run && !has_ended(*run)) ++active;
  }
  if (active == 0) return "";
  const std::string line = refused ? say_count(active, "run is", "runs are") + " still active"
                                   : say_count(active, "run", "runs") + " may still be active";
  return line + "; `drover ps` lists them";
}

void Each::show_progress() {
  const std::int64_t now = mono_ms();
  if (now - drawn_ms_ < limits::kRedrawMs || !context_.screen.shows_progress()) return;
  drawn_ms_ = now;
  rate_.see(done_, now);
  const bool away = std::ranges::any_of(carriers_, &Carrier::away);
  const std::string line = say_progress({.done = done_,
                                         .failed = failed_,
                                         .known = jobs_.inputs().known(),
                                         .all_known = jobs_.inputs().has_ended(),
                                         .per_second = rate_.per_second()});
  context_.screen.progress((away           ? "daemon unreachable · "
                            : cancels_ > 0 ? "canceling · "
                                           : "") +
                           line);
}

void Each::wait() {
  polls_.clear();
  polls_.push_back({interrupts_.fd(), POLLIN, 0});
  const bool reads = jobs_.inputs().wants_more() && cancels_ == 0;
  polls_.push_back({reads ? plan_.source.get() : -1, POLLIN, 0});
  bool away = false;
  for (const Carrier& carrier : carriers_) {
    polls_.push_back({carrier.busy() ? carrier.fd() : -1, POLLIN, 0});
    away = away || carrier.away();
  }
  const std::int64_t ms = away                               ? limits::kComeBackPauseMs
                          : context_.screen.shows_progress() ? limits::kRedrawMs
                          : explained_wait_ || busy() == 0   ? -1
                                                             : limits::kProgressAfterMs;
  // Every connection has a pipelined job, so the daemon is not waiting for us. Let answers gather
  // and read them in one turn. Only an interrupt, the first of the polls, ends this pause.
  if (std::ranges::all_of(carriers_, &Carrier::has_next)) {
    ::poll(polls_.data(), 1, static_cast<int>(limits::kGatherAnswersMs));
  }
  ::poll(polls_.data(), polls_.size(), static_cast<int>(ms));
}

Result<int> Each::print_summary() {
  context_.screen.erase_progress();
  const size_t completed = done_ - failed_;
  const int code = cancels_ > 0  ? wire::exit_code::kCanceled
                   : leave_      ? 128 + SIGHUP
                   : failed_ > 0 ? wire::exit_code::kSomeFailed
                                 : 0;
  if (context_.json) {
    const object out{{"total", done_},
                     {"completed", completed},
                     {"failed", failed_},
                     {"elapsed_ms", mono_ms() - began_ms_}};
    (void)context_.screen.print(json_text(object{{"summary", out}}) + "\n");
    return code;
  }
  if (!failures_.empty()) {
    (void)context_.screen.print(failure_table(failures_, context_.screen));
    if (failed_ > failures_.size()) {
      context_.screen.notice(std::to_string(failed_ - failures_.size()) +
                             " more failed; `drover ps -a --state failed` lists all of them");
    }
  }
  if (failed_ > 0 || cancels_ > 0 || context_.screen.shows_progress()) {
    std::string line = say_ends({.completed = completed,
                                 .others = failed_in_,
                                 .never_started = jobs_.inputs().known() - done_ - busy(),
                                 .detached = plan_.detach});
    line += " · " + say_duration(mono_ms() - began_ms_);
    if (const std::string why = common_why(failures_); !why.empty()) {
      line += " · " + why;
    } else if (failed_ > 0 && !plan_.detach) {
      line += " · `drover logs ID` prints the output of one";
    } else if (!plan_.detach) {
      line += " · the output is kept: `drover ps -a`, `drover logs ID`";
    }
    context_.screen.notice(line);
  }
  return code;
}

}  // namespace drover::cli
