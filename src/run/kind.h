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
// Judges a change of the phase of `before`. Nothing: it was so already. What it refuses is not
// written.
using PhaseRule = Result<std::optional<PhaseStep>> (*)(const Record& before,
                                                       std::string_view change);

struct Kind {
  std::string_view name;
  bool composite = false;
  // A lane of its own: no other kind may stand there. Children in it go on while it drains; a
  // composite does not begin then. Empty: it may stand in every lane that is nobody's own.
  std::string_view lane = {};
  // Why people cannot cancel it, as the end of a sentence that begins with its id. Empty: they can.
  std::string_view not_cancellable = {};
  std::optional<std::int64_t> grace_ms = {};  // Replaces whatever grace was asked for.
  std::string_view not_retriable = {};        // As not_cancellable.
  bool ends_with_parent = false;  // Refused once the run that asks for it was told to stop.

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

// The kinds that a daemon knows. Immutable; whoever is given one must not outlive it.
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
