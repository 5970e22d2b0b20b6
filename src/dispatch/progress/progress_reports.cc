#include "dispatch/progress/progress_reports.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace drover::dispatch {
namespace {

constexpr MonoNs kMs = 1'000'000;

}  // namespace

asio::awaitable<Result<ProgressOutcome>> ProgressReports::say(RunId id, run::SaidProgress said) {
  const auto record = co_await host_.reads.find(id);
  if (!record) co_return std::unexpected(record.error());
  const bool starting = *record && (*record)->state == run::State::starting;
  const MonoNs now = host_.clock.mono_ns();
  {
    Speaker& speaker = speakers_[id];
    speaker.starting = starting;
    if (!speaker.ending && (starting || speaker.writing || now < speaker.next_at)) {
      speaker.waiting = std::move(said);
      arm(speaker);
      co_return ProgressOutcome::deferred;
    }
    speaker.writing = true;
    speaker.next_at = now + limits::kProgressEveryMs * kMs;
  }
  auto written = co_await host_.spine.record(run::Progressed{.id = id, .what = std::move(said)});
  const auto found = speakers_.find(id);
  if (found != speakers_.end()) {
    found->second.writing = false;
    arm(found->second);
    // Refused: it is not running, and has nothing more to say.
    if (!written && written.error().code != ErrorCode::unavailable) speakers_.erase(found);
  }
  if (!written) co_return std::unexpected(written.error());
  co_return ProgressOutcome::recorded;
}

std::optional<run::SaidProgress> ProgressReports::take_last(const RunId& id) {
  const auto found = speakers_.find(id);
  if (found == speakers_.end()) return std::nullopt;
  found->second.ending = true;
  return std::exchange(found->second.waiting, std::nullopt);
}

asio::awaitable<void> ProgressReports::record_all() {
  std::vector<run::Progressed> all;
  for (auto& [id, speaker] : speakers_) {
    if (auto said = std::exchange(speaker.waiting, std::nullopt)) all.push_back({id, *said});
  }
  // Refused or failed: it cannot be helped now.
  for (run::Progressed& progressed : all) (void)co_await host_.spine.record(std::move(progressed));
}

void ProgressReports::see(const run::Record& record, bool ended) {
  const auto found = speakers_.find(record.id);
  if (found == speakers_.end()) return;
  if (ended) {
    speakers_.erase(found);
    return;
  }
  if (record.state != run::State::running || !found->second.starting) return;
  found->second.starting = false;
  arm(found->second);
}

void ProgressReports::arm(const Speaker& speaker) {
  if (!speaker.is_due() || (armed_for_ && *armed_for_ <= speaker.next_at)) return;
  armed_for_ = speaker.next_at;
  const MonoNs left = std::max<MonoNs>(0, speaker.next_at - host_.clock.mono_ns());
  timer_.expires_after(std::chrono::nanoseconds(left));
  timer_.async_wait([this](boost::system::error_code canceled) {
    if (!canceled) record_due();
  });
}

void ProgressReports::record_due() {
  armed_for_.reset();
  const MonoNs now = host_.clock.mono_ns();
  for (auto& [id, speaker] : speakers_) {
    if (speaker.is_due() && speaker.next_at <= now) record(id, speaker);
  }
  for (const auto& [id, speaker] : speakers_) arm(speaker);
}

void ProgressReports::record(const RunId& id, Speaker& speaker) {
  const run::SaidProgress said = *std::exchange(speaker.waiting, std::nullopt);
  speaker.writing = true;
  speaker.next_at = host_.clock.mono_ns() + limits::kProgressEveryMs * kMs;
  host_.spine.record(
      run::Progressed{.id = id, .what = said},
      [this, id, said](const Result<store::Written>& written) { finish_write(id, said, written); });
}

void ProgressReports::finish_write(const RunId& id, const run::SaidProgress& said,
                                   const Result<store::Written>& written) {
  const auto found = speakers_.find(id);
  if (found == speakers_.end()) return;
  Speaker& speaker = found->second;
  speaker.writing = false;
  // A full disk, for example: tried again, unless it has said something newer.
  const bool again = !written && written.error().code == ErrorCode::unavailable;
  if (again && !speaker.waiting && !speaker.ending) speaker.waiting = said;
  arm(speaker);
}

}  // namespace drover::dispatch
