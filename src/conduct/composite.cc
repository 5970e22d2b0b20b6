#include "conduct/composite.h"

#include <algorithm>
#include <chrono>

#include "conduct/pause.h"
#include "log/log.h"
#include "run/redact.h"

namespace drover::conduct {
namespace {

constexpr std::chrono::seconds kLookAgain{2};  // In case an event is missed, or a cancel fails.

}  // namespace

Composite::Composite(const Parts& parts, const Script& script, const run::Record& record)
    : parts_(parts),
      script_(script),
      id_(record.id),
      number_(record.number),
      scope_(record.scope),
      trace_id_(record.trace_id) {
  (void)own_command();  // Loads its secrets.
}

asio::awaitable<run::Record> Composite::record() {
  return find(id_);
}

asio::awaitable<bool> Composite::stopped() {
  co_return (co_await record()).cancel_requested;
}

Result<process::Command> Composite::own_command() {
  auto command = process::read_command(parts_.home.run_file(id_));
  if (command) secrets_.add(command->environment);
  return command;
}

std::string Composite::redacted(const std::string& text) const {
  return run::redact(text, secrets_);
}

void Composite::hide(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  secrets_.add(variables);
}

asio::awaitable<run::Record> Composite::until(RunId child, run::State state) {
  const bus::Filter filter{.run = child, .scope = {}, .waker = "run/" + id_.str()};
  const auto subscription = subscriptions_.emplace(subscriptions_.end(), parts_.bell, parts_.loop,
                                                   filter, parts_.bell.last_seq());
  run::Record record = co_await look_until(*subscription, child, state);
  subscriptions_.erase(subscription);
  co_return record;
}

asio::awaitable<run::Record> Composite::look_until(bus::Subscription& subscription, RunId child,
                                                   run::State state) {
  for (;;) {
    run::Record record = co_await find(child);
    if (run::is_finished(record.state) || record.state == state) co_return record;
    if (ends_with_parent(record) && !record.cancel_requested && co_await stopped()) {
      (void)co_await parts_.dispatcher.cancel(child, {});
    }
    if (!co_await subscription.next(std::chrono::steady_clock::now() + kLookAgain)) {
      co_await pause(parts_.loop);
    }
  }
}

// A deleted child has finished as its evidence says. If the store cannot be read, this waits:
// unknown is never a finish.
asio::awaitable<run::Record> Composite::find(RunId id) {
  for (;; co_await pause(parts_.loop)) {
    auto found = co_await parts_.reads.find_stored(id);
    if (found && *found) co_return std::move((*found)->record);
    log::error(id, "cannot read the run: {}", found ? "it does not exist" : found.error().message);
  }
}

asio::awaitable<void> Composite::phase(run::PhaseChanged change) {
  change.id = id_;
  co_await record_fact(std::move(change));
}

asio::awaitable<void> Composite::give_up(run::PhaseChanged last) {
  co_await record_fact(run::CancelRequested{.id = id_, .of_any_kind = true});
  const std::vector<run::Record> all = co_await children();
  // Cancel all before waiting for any: a slot that becomes free must not start another one.
  for (const run::Record& child : all) {
    if (run::is_finished(child.state)) continue;
    co_await record_fact(
        run::CancelRequested{.id = child.id, .of_any_kind = true, .only_queued = true});
  }
  for (const run::Record& child : all) co_await until(child.id, run::State::completed);
  co_await phase(std::move(last));
}

// Tries until the store can write: a finish must never be lost.
asio::awaitable<void> Composite::record_fact(run::Fact fact) {
  for (;; co_await pause(parts_.loop)) {
    const auto written = co_await parts_.record(fact);
    if (written) co_return;
    if (written.error().code != ErrorCode::unavailable) {
      // The spine has logged a refused transition.
      if (!run::is_refused_transition(written.error())) {
        log::warn({id_, trace_id_}, "{}", written.error().message);
      }
      co_return;
    }
    log::error(id_, "cannot record its progress yet: {}", written.error().message);
  }
}

bool Composite::is_own(const run::Record& run) const {
  return run.parent_run_id == id_.view() &&
         std::ranges::find(script_.children, run.kind) != script_.children.end();
}

bool Composite::ends_with_parent(const run::Record& child) const {
  const run::Kind* kind = parts_.kinds.find(child.kind);
  return kind != nullptr && kind->ends_with_parent;
}

}  // namespace drover::conduct
