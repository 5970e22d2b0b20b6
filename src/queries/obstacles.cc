#include "queries/obstacles.h"

#include <fmt/format.h>

namespace drover::queries {
namespace {

void add_dependencies(std::vector<Obstacle>& out, const QueueContext& around) {
  for (const run::Dependency& other : around.dependencies) {
    if (other.end) continue;
    out.push_back({.kind = "dependency",
                   .text = fmt::format("{} must {} first", other.id.view(),
                                       other.must_complete ? "complete" : "finish"),
                   .runs = {other.id}});
  }
}

std::string say_count(std::int64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// "350ms", "2.7s", "95s", "12m": a time that is about to pass needs no more digits.
std::string say_short(std::int64_t ms) {
  constexpr std::int64_t kSecond = 1'000;
  constexpr std::int64_t kTenth = 100;
  if (ms < kSecond) return format_duration(ms);
  if (ms >= 60 * kSecond) return format_duration((ms + kSecond - 1) / kSecond * kSecond);
  const std::int64_t tenths = (ms + kTenth - 1) / kTenth;
  if (tenths % 10 == 0) return format_duration(tenths * kTenth);
  return fmt::format("{}.{}s", tenths / 10, tenths % 10);
}

}  // namespace

std::vector<Obstacle> obstacles(const run::Record& record, const QueueContext& around) {
  std::vector<Obstacle> out;
  if (record.state != run::State::queued) return out;
  const store::Lane& lane = around.lane;
  add_dependencies(out, around);
  if (!run::is_due(record, around.now)) {
    out.push_back({.kind = "backoff",
                   .text = fmt::format("attempt {} starts in {}", record.attempt,
                                       say_short(record.not_before - around.now)),
                   .time = record.not_before});
  }
  if (lane.paused_at != 0) {
    out.push_back({.kind = "lane_paused",
                   .text = fmt::format("lane {} is paused; resume it with `drover lane resume {}`",
                                       lane.name, lane.name),
                   .time = lane.paused_at});
  }
  if (lane.active >= lane.limit) {
    out.push_back({.kind = "lane_full",
                   .text = around.hides_others
                               ? fmt::format("lane {} is full", lane.name)
                               : fmt::format("lane {} is full: {}, used by {}", lane.name,
                                             say_count(lane.limit, "slot", "slots"),
                                             say_count(lane.active, "run", "runs")),
                   .runs = around.slot_holders});
  }
  if (around.ahead.value_or(0) > 0) {
    out.push_back({.kind = "queue",
                   .text = fmt::format("{} ahead of it in lane {}",
                                       around.hides_others
                                           ? "other runs are"
                                           : say_count(static_cast<std::int64_t>(*around.ahead),
                                                       "run is", "runs are"),
                                       lane.name)});
  }
  return out;
}

}  // namespace drover::queries
