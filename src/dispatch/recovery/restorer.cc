#include "dispatch/recovery/restorer.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crash_point.h"
#include "base/output_sizes.h"
#include "dispatch/ending/endings.h"
#include "log/log.h"
#include "run/kind.h"

namespace drover::dispatch {
namespace {

// A keeper that died left no account of the output: count what is on disk.
void count_output(run::Ended& ended, const std::string& directory) {
  const auto sizes = output_sizes(directory);
  if (!sizes) return log::warn(ended.id, "cannot count its output: {}", sizes.error().message);
  ended.stdout_bytes = static_cast<std::int64_t>(sizes->out);
  ended.stderr_bytes = static_cast<std::int64_t>(sizes->err);
}

constexpr std::chrono::milliseconds kLookAgain{20};  // A launch takes a few milliseconds.

}  // namespace

Restorer::Restorer(const Host& host, RestorerParts parts)
    : host_(host),
      parts_(parts),
      boot_(process::boot_id()),
      watch_(host.loop, host.home, [this](const RunId& id) { look_again(id); }),
      concluded_(host.loop, asio::steady_timer::time_point::max()) {}

asio::awaitable<void> Restorer::restore_inherited(const std::vector<run::Record>& records) {
  for (const run::Record& record : records) co_await restore(record, true);
  while (concluding_ > 0) {
    boost::system::error_code woken;
    co_await concluded_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
}

void Restorer::look_again(const RunId& id) {
  if (parts_.flights.contains(id)) host_.spawn(look(id));
}

asio::awaitable<void> Restorer::look(RunId id) {
  auto record = co_await host_.reads.find(id);
  const Flight* flight = parts_.flights.find(id);
  if (flight == nullptr) co_return;  // It has finished meanwhile.
  if (!record) co_return host_.spawn(look_later(id));
  if (!*record) co_return;
  // This daemon did not restart: only a keeper or a cradle died.
  if (!flight->inherited) (*record)->on_restart = run::OnRestart::requeue;
  co_await restore(std::move(**record), false);
}

asio::awaitable<void> Restorer::look_later(RunId id) {
  co_await host_.pause(kWriteAgain);
  look_again(id);
}

asio::awaitable<void> Restorer::restore(run::Record record, bool inherited) {
  const run::Kind* kind = host_.kinds.find(record.kind);
  if (kind == nullptr || kind->composite) co_return;  // Its room continues it, if it is known.
  const RunId id = record.id;
  auto journal = read_journal_state(host_.home.run_file(id));
  if (!journal) {
    // Too many open files, for example. That says nothing about its keeper: look again.
    log::error(id, "{}", journal.error().message);
    parts_.flights.track(record).inherited |= inherited;
    host_.spawn(look_later(id));
    co_return;
  }
  const Remedy remedy = remedy_for(record, *journal);
  crash_point("recovery.looked");
  if (inherited) counts_.count(remedy);
  co_await apply(remedy, std::move(record), std::move(*journal), inherited);
}

asio::awaitable<void> Restorer::apply(Remedy remedy, run::Record record, JournalState journal,
                                      bool inherited) {
  const RunId id = record.id;
  if (remedy == Remedy::wait) {
    // It was added to the flights while its journal was unreadable. Remove it: the next claim would
    // find it in flight and not launch it.
    if (!parts_.flights.remove(id)) co_return;
    const auto stored = co_await host_.reads.find(id);
    if (!stored || !*stored) co_return;
    parts_.flights.begin(**stored);
    // A cancel that came meanwhile found no flight, and did nothing: repeat it.
    const bool is_flying = parts_.flights.contains(id);
    if (is_flying && (*stored)->cancel_requested) {
      host_.spawn(parts_.cancels.stop(id, (*stored)->grace_ms));
    }
    co_return;
  }
  Flight& flight = parts_.flights.track(record);
  flight.inherited = false;
  switch (remedy) {
    case Remedy::wait:
      co_return;
    case Remedy::adopt:
      flight.started = true;
      watch_.watch(id);
      parts_.adopted_output.follow(record);
      if (record.state == run::State::starting) host_.spawn(learn_start(id));
      // A recorded cancel is repeated: the last daemon may have died before it sent it.
      crash_point("recovery.adopted");
      if (record.cancel_requested) host_.spawn(parts_.cancels.stop(id, record.grace_ms));
      if (!record.cancel_requested && journal.text.cancel) {
        host_.spawn(repeat_cancel(id, journal.text.cancel->grace_ms));
      }
      co_return;
    case Remedy::conclude:
      if (!inherited) co_return co_await conclude(id, std::move(journal.text));
      ++concluding_;
      host_.spawn(conclude_inherited(id, std::move(journal.text)));
      co_return;
    case Remedy::launch:
      // No identity, or the mark of a daemon that forbade the launch and died before it recorded
      // why.
      if (journal.liveness == Liveness::dead) (void)allow_launch(host_.home.run_file(id));
      parts_.launcher.launch(id);
      co_return;
    case Remedy::never_start:
      co_return co_await never_start(id, inherited);
  }
}

// The last daemon stopped the run, and could not record that.
asio::awaitable<void> Restorer::repeat_cancel(RunId id, std::int64_t grace_ms) {
  (void)co_await parts_.cancels.cancel({.id = id, .of_any_kind = true}, grace_ms);
}

asio::awaitable<void> Restorer::never_start(RunId id, bool inherited) {
  const auto forbidden = forbid_launch(host_.home.run_file(id));
  if (forbidden && !*forbidden) {  // A late keeper was faster: it is alive.
    auto stored = co_await host_.reads.find(id);
    if (stored && *stored && run::is_active((*stored)->state)) {
      co_await restore(std::move(**stored), inherited);
    }
    co_return;
  }
  co_await parts_.reports.record_end(run::Ended{.id = id, .ending = run::NeverStarted{}});
}

// An adopted keeper reports to a daemon that is gone. It may be between its claim and the exec, so
// this looks until the start is recorded.
asio::awaitable<void> Restorer::learn_start(RunId id) {
  while (parts_.flights.contains(id)) {
    const auto journal = read_journal_state(host_.home.run_file(id));
    if (journal && journal->text.started) {
      parts_.reports.record_start(id, sound_time(journal->text.started->wall_ms));
      co_return;
    }
    // Its end will be recorded instead.
    if (journal && journal->liveness != Liveness::alive) co_return;
    co_await host_.pause(kLookAgain);
  }
}

asio::awaitable<void> Restorer::conclude_inherited(RunId id, JournalText text) {
  co_await conclude(id, std::move(text));
  if (--concluding_ == 0) concluded_.cancel();
}

asio::awaitable<void> Restorer::conclude(RunId id, JournalText text) {
  const bool other_boot =
      text.identity && std::string_view(text.identity->boot_id) != std::string_view(boot_.text);
  std::vector<process::Member> survivors;
  if (!text.ending && !other_boot) {
    // There is no proof that all of its processes are gone: kill them before the finish is
    // recorded.
    survivors = co_await parts_.sweeper.sweep(id, text);
    crash_point("recovery.swept");
    for (const process::Member& left : survivors) {
      log::error(id, "cannot kill process {} ({})", left.ref.pid,
                 static_cast<const char*>(left.stat.name));
    }
  }
  parts_.line.hang_up(id);
  const Flight* known = parts_.flights.find(id);
  const Flight flight = known != nullptr ? *known : Flight{};
  run::Ended ended = ended_from_journal(id, text, boot_.text, flight.program, flight.cwd);
  if (!text.ending) count_output(ended, host_.home.run_directory(id));
  name_survivors(ended, survivors);
  co_await parts_.reports.record_end(std::move(ended));
}

}  // namespace drover::dispatch
