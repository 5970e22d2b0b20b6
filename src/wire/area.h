// An Area is a list of operations that belong together, with all that describes them: the tags
// they are grouped by and the shapes they bring. The foundations have some (wire/ground.h), and
// every room has one; the daemon is given those of its rooms.
#pragma once

#include <span>
#include <string_view>

#include "wire/operation.h"
#include "wire/shapes.h"

namespace drover::wire {

// The part of an operation's name before the dot, explained. Operations of no tag are the daemon's.
struct Tag {
  std::string_view name;
  std::string_view help;
};

using ShapeList = std::span<const Shape> (*)();

struct Area {
  std::span<const Operation* const> operations;
  std::span<const Tag> tags = {};
  std::span<const ShapeList> shapes = {};
};

namespace promise {

constexpr bool names_are_unique(const Area& area) {
  for (const Operation* one : area.operations) {
    int same = 0;
    for (const Operation* other : area.operations) same += one->name == other->name ? 1 : 0;
    if (same != 1) return false;
  }
  return true;
}
constexpr bool subjects_are_explained(const Area& area) {
  for (const Operation* one : area.operations) {
    if (has_subject(*one) == one->subject.empty()) return false;
  }
  return true;
}

}  // namespace promise

constexpr bool is_sound(const Area& area) {
  return promise::names_are_unique(area) && promise::subjects_are_explained(area);
}

}  // namespace drover::wire
