// An Area is a list of related operations with everything that describes them: the tags that group
// them, and their shapes. The core has several (wire/core_areas.h), and every room has one,
// which it passes to the daemon.
#pragma once

#include <span>
#include <string_view>

#include "wire/operation.h"
#include "wire/shapes.h"

namespace drover::wire {

// A tag is the part of an operation's name before the dot, with a description. Operations without
// one of these tags belong to the daemon.
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
