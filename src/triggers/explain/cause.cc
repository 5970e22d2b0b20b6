#include "triggers/explain/cause.h"

#include <string_view>

#include "triggers/limits.h"

namespace drover::triggers {
namespace {

// A reason without its detail, and the detail.
struct Reason {
  std::string_view word;
  std::string_view detail;
};

Reason split(std::string_view reason) {
  const size_t colon = reason.find(": ");
  if (colon == std::string_view::npos) return {reason, {}};
  return {reason.substr(0, colon), reason.substr(colon + 2)};
}

// The first word of `text` that is a run's id; empty: there is none.
std::string_view run_in(std::string_view text) {
  const size_t at = text.find("run_");
  if (at == std::string_view::npos) return {};
  return text.substr(at, text.find_first_of(" ,;", at) - at);
}

std::string either(std::string_view detail, std::string_view usual) {
  return std::string(detail.empty() ? usual : detail);
}

std::string skipped(const Reason& reason) {
  if (reason.word == "overlap") {
    const std::string_view run = run_in(reason.detail);
    return "its last run" + (run.empty() ? "" : ", " + std::string(run) + ",") +
           " was still active; overlap: skip";
  }
  if (reason.word == "queue_full") {
    return std::to_string(kQueuedRunsMax) + " of its runs were waiting already";
  }
  if (reason.word == "backoff") {
    return "it was waiting " + either(reason.detail, "after a failed run") + " (backoff)";
  }
  if (reason.word == "paused") return "the trigger was paused";
  if (reason.word == "edited") return "the trigger was changed before this time was decided";
  if (reason.word == "duplicate") {
    const bool has_id = reason.detail.starts_with("of ");
    return "it repeats " +
           (has_id ? "event " + std::string(reason.detail.substr(3)) : "another event") +
           " (dedup)";
  }
  return either(reason.detail, reason.word);
}

std::string late(const Reason& reason) {
  return either(reason.detail,
                "the daemon was not running, or the machine was off or asleep at that time");
}

std::string missed(const Reason& reason) {
  std::string out = late(reason);
  if (reason.word == "policy_skip") return out + "; missed: skip";
  if (reason.word == "outside_window") return out + "; it was older than the missed window";
  if (reason.word == "too_many") return out + "; too many times were missed, and later ones ran";
  return out;
}

}  // namespace

std::string cause_of(const Occurrence& occurrence) {
  const Reason reason = split(occurrence.reason);
  switch (occurrence.outcome) {
    case Outcome::pending:
      return "its run is about to be submitted";
    case Outcome::fired:
      if (reason.word == "by_hand") return "fired by hand";
      return reason.word == "caught_up" ? late(reason) : std::string(reason.detail);
    case Outcome::skipped:
      return skipped(reason);
    case Outcome::coalesced:
      return late(reason) + "; a later due time ran for it (missed: once)";
    case Outcome::missed:
      return missed(reason);
  }
  return {};
}

std::string_view lateness_of(WallMs due_at, WallMs daemon_began) {
  return due_at < daemon_began
             ? "the daemon was not running"
             : "the daemon could not run it in time: the machine was asleep, its clock was set, or "
               "its disk was full";
}

std::string backoff_detail(std::int64_t errors) {
  return errors > 1 ? "after " + std::to_string(errors) + " failed runs in a row"
                    : "after a failed run";
}

}  // namespace drover::triggers
