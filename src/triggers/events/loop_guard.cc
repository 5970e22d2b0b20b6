#include "triggers/events/loop_guard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace drover::triggers {
namespace {

std::string arrows(std::span<const std::string> chain) {
  return fmt::format("{}", fmt::join(chain, " → "));
}

}  // namespace

std::optional<LoopFinding> find_loop(std::span<const std::string> chain, std::string_view trigger,
                                     bool caused, const RecentFirings& recent,
                                     const LoopLimits& limits) {
  if (std::ranges::find(chain, trigger) != chain.end()) {
    return LoopFinding{"loop", fmt::format("a run of this trigger caused the event: {} → {}",
                                           arrows(chain), trigger)};
  }
  if (caused && chain.empty() && recent.in_a_row >= limits.echoes_max) {
    return LoopFinding{
        "loop", fmt::format("the last {} events on which the trigger fired happened while one of "
                            "its runs was active or right after it, and so did this one: the runs "
                            "seem to start them",
                            recent.in_a_row)};
  }
  if (chain.size() >= limits.chain_max) {
    return LoopFinding{
        "too_deep", fmt::format("{} triggers started each other before this one; at most {} may: "
                                "{}",
                                chain.size(), limits.chain_max, arrows(chain))};
  }
  if (caused && recent.caused >= limits.caused_firings_max) {
    return LoopFinding{"too_fast",
                       fmt::format("the trigger fired {} times in a minute by events that runs of "
                                   "triggers caused; at most {} are allowed",
                                   recent.caused, limits.caused_firings_max)};
  }
  if (recent.all >= limits.firings_max) {
    return LoopFinding{"too_fast",
                       fmt::format("the trigger fired {} times in a minute; at most {} are allowed",
                                   recent.all, limits.firings_max)};
  }
  return std::nullopt;
}

bool may_be_echo(std::span<const std::string> chain, std::string_view producer) {
  return chain.empty() && (producer == "drover" || producer.starts_with("file/"));
}

bool is_caused(std::span<const std::string> chain, bool may_be_echo, WallMs event_time,
               const std::optional<LatestRun>& latest) {
  if (!chain.empty()) return true;
  if (!may_be_echo || !latest || event_time < latest->started_at) return false;
  return !latest->finished_at || event_time - *latest->finished_at <= kEchoMs;
}

TriggerChain extend(TriggerChain chain, std::string_view trigger) {
  chain.emplace_back(trigger);
  return chain;
}

}  // namespace drover::triggers
