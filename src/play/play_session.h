// A Session is how far one Play of a project has come (P8): its state, what it is at, what went
// wrong, and the runs that were asked for on the way. It is kept with the run of kind `play` that
// it belongs to, as text, and changes only by what the table in play/life.h allows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "play/life.h"

namespace drover::play {

// What a project goes through, in this order; also the sources of its execution log (P9).
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
  std::optional<Stage> stage = {};         // What it is at, or was last.
  std::string code = {};                   // Why it failed, for programs; empty: it has not.
  std::string message = {};                // The same for people.
  std::map<Stage, std::string> runs = {};  // Asked for so far, by their ids.

  bool operator==(const PlaySession&) const = default;
};

// The run of the stage it is at; empty: it has not been asked for.
std::string current_run(const PlaySession& session);

std::string text_of(const PlaySession& session);
// `corrupt` if it is nothing that Drover writes.
Result<PlaySession> parse_session(std::string_view text);

// The runs of a project stand in this scope.
std::string scope_of(std::string_view project);
std::string project_of(std::string_view scope);

}  // namespace drover::play
