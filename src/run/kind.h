// A Kind describes one sort of runs: whether they are spawned or made of other runs, who may cancel
// them, in which lane they may wait. Most runs are commands, the one kind that the core knows.
// Every other kind comes from a room and is registered where the daemon is put together. Pure:
// `apply` (run/transition.h) takes the list as an argument.
//
// A composite is a run that is made of other runs. It is never spawned and takes no slot; its
// children do. Its progress is its phase, text that only its room reads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/result.h"

namespace drover::run {

struct Record;

// The effect of a change on a phase.
struct PhaseStep {
  std::string after;       // The new phase: a JSON object, as text.
  std::string_view event;  // The type of the event to record; its data is `after`.
  bool at_rest = false;    // The composite finishes with this step.
};
// Judges a change of the phase of `before`. Nothing: the change was recorded before. An error
// refuses it.
using PhaseRule = Result<std::optional<PhaseStep>> (*)(const Record& before,
                                                       std::string_view change);

struct Kind {
  std::string_view name;
  bool composite = false;
  // The lane that is reserved for this kind. Several kinds may share a lane; runs of all other
  // kinds are refused there (`lane_reserved`). While the lane drains, it admits children and
  // refuses composites. Empty: any lane that no kind reserves.
  std::string_view lane = {};
  // Why people cannot cancel it, as the end of a sentence that begins with its id. Empty: they can.
  std::string_view not_cancellable = {};
  std::optional<std::int64_t> grace_ms = {};  // Replaces the grace of every request.
  std::string_view not_retriable = {};        // As not_cancellable.
  // Refused once its parent was stopped or has finished; canceled when its parent is stopped
  // (conduct/).
  bool ends_with_parent = false;

  // For composites only.
  bool one_per_scope = false;  // Refused while another one of its scope is active.
  PhaseRule phase = nullptr;
  // The change that leads a new composite into its first phase.
  std::string_view first_change = {};
  std::string_view phase_field = {};  // The name of its phase in JSON.
  // Both read its record. The id of its current child, empty if there is none; and the child that
  // receives a signal sent to the composite, or why none does.
  std::string (*current_child)(const Record&) = nullptr;
  Result<RunId> (*signal_target)(const Record&) = nullptr;
};

inline constexpr std::string_view kCommand = "command";

// The kinds that a daemon knows. Immutable. Must outlive all that refer to it.
class Kinds {
 public:
  // Only commands.
  Kinds() : Kinds(std::span<const std::span<const Kind>>()) {}
  // Commands, and the kinds of the rooms.
  explicit Kinds(std::span<const std::span<const Kind>> of_rooms);

  // Null: not registered. Runs of such a kind are listed and shown, but never changed.
  const Kind* find(std::string_view name) const;
  bool knows(std::string_view name) const { return find(name) != nullptr; }
  bool is_composite(std::string_view name) const;
  std::vector<std::string> names() const;
  // The kind for which a lane is reserved, a composite kind if there is one. Null: the lane is open
  // to all.
  const Kind* owner_of(std::string_view lane) const;

 private:
  std::vector<Kind> all_;
};

// For code without rooms.
const Kinds& only_commands();

}  // namespace drover::run
