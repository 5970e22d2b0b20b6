// A PlaySession is the progress of one play of a project (P8): its state, its current stage, the
// error if it failed, and the runs that it has submitted. It is stored as text with the run of kind
// `play` that it belongs to, and changes only as the table in play/life.h allows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "play/life.h"

namespace drover::play {

// The stages of a play, in this order; also the sources of its execution log (P9).
enum class Stage : std::uint8_t { build, validation, pack, manifest, runtime };
inline constexpr auto kStages = std::to_array<Stage>(
    {Stage::build, Stage::validation, Stage::pack, Stage::manifest, Stage::runtime});
constexpr std::string_view name(Stage stage) {
  constexpr std::array<std::string_view, kStages.size()> kNames{"build", "pack-validation", "pack",
                                                                "manifest", "runtime"};
  return kNames[static_cast<size_t>(stage)];
}
constexpr std::optional<Stage> stage_named(std::string_view text) {
  for (const Stage stage : kStages) {
    if (name(stage) == text) return stage;
  }
  return std::nullopt;
}

struct PlaySession {
  std::string project;
  State state = State::idle;
  std::optional<Stage> stage = {};         // The current stage, or the last one.
  std::string code = {};                   // Why it failed, for programs; empty: it has not failed.
  std::string message = {};                // Why it failed, or a notice, for people.
  std::map<Stage, std::string> runs = {};  // Submitted so far: the run's id for each stage.

  bool operator==(const PlaySession&) const = default;
};

// The run of the current stage; empty: it was not submitted yet.
std::string current_run(const PlaySession& session);

std::string text_of(const PlaySession& session);
// `corrupt` if Drover cannot have written this text.
Result<PlaySession> parse_session(std::string_view text);

// The scope of a project's runs.
std::string scope_of(std::string_view project);
std::string project_of(std::string_view scope);

}  // namespace drover::play
