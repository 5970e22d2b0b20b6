// A Kind is what sets one sort of runs apart: whether it is spawned or made of other runs, who may
// cancel it, where it may stand. Most runs are commands, the one kind that the foundations know;
// every other is brought by a room and registered where the daemon is put together. Pure: `apply`
// (run/transition.h) is given the list.
//
// A composite is made of other runs: nothing of it is ever spawned, and it holds no slot, for its
// children do. How far it has come is its phase, text that only its room reads.
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

// What a change does to a phase.
struct PhaseStep {
  std::string after;       // The phase from now on: a JSON object, as text.
  std::string_view event;  // The type of the event that tells of it; its data is `after`.
  bool at_rest = false;    // The composite ends with this.
};
// Judges a change of the phase of `before`. Returns nothing if the change was recorded before; an
// error refuses it.
using PhaseRule = Result<std::optional<PhaseStep>> (*)(const Record& before,
                                                       std::string_view change);

struct Kind {
  std::string_view name;
  bool composite = false;
  // The lane that is reserved for this kind. Several kinds may name the same lane; runs of all
  // other kinds are refused there (`lane_reserved`). While it drains, children are admitted and
  // composites are not. Empty: any lane that no kind reserves.
  std::string_view lane = {};
  // Why people cannot cancel it, as the end of a sentence that begins with its id. Empty: they can.
  std::string_view not_cancellable = {};
  std::optional<std::int64_t> grace_ms = {};  // Replaces whatever grace was asked for.
  std::string_view not_retriable = {};        // As not_cancellable.
  // Refused once its parent was stopped or has ended; canceled when its parent is stopped
  // (conduct/).
  bool ends_with_parent = false;

  // Of composites.
  bool one_per_scope = false;  // Refused while another one of its scope is active.
  PhaseRule phase = nullptr;
  std::string_view first_change = {};  // What brings a submitted one into its first phase.
  std::string_view phase_field = {};   // What the doors call its phase.
  // Read from its record: the id of the child that it is at, empty if there is none; and the child
  // that a signal to it is meant for, or why there is none.
  std::string (*current_child)(const Record&) = nullptr;
  Result<RunId> (*signal_target)(const Record&) = nullptr;
};

inline constexpr std::string_view kCommand = "command";

// The kinds that a daemon knows. Immutable. Must outlive everything that it is given to.
class Kinds {
 public:
  // Only commands.
  Kinds() : Kinds(std::span<const std::span<const Kind>>()) {}
  // Commands, and what the rooms bring.
  explicit Kinds(std::span<const std::span<const Kind>> of_rooms);

  // Null: nobody registered it. Runs of it are listed, shown and left alone.
  const Kind* find(std::string_view name) const;
  bool knows(std::string_view name) const { return find(name) != nullptr; }
  bool is_composite(std::string_view name) const;
  std::vector<std::string> names() const;
  // The kind to which a lane belongs, a composite if there is one. Null: it is open to all.
  const Kind* owner_of(std::string_view lane) const;

 private:
  std::vector<Kind> all_;
};

// For whoever has no rooms.
const Kinds& only_commands();

}  // namespace drover::run
