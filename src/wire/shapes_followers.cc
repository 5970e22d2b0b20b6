#include <array>

#include "wire/operations/followers.h"

namespace drover::wire::followers {
namespace {

constexpr auto kShapesOfFollowers = std::to_array<Shape>({
    {"Follower", R"({
  "type": "object", "required": ["name", "cursor", "lag", "stopped_at", "reason"],
  "properties": {"name": {"type": "string"}, "cursor": {"type": "string"},
                 "lag": {"$ref": "#/components/schemas/Count"},
                 "stopped_at": {"$ref": "#/components/schemas/TextOrNull"},
                 "reason": {"$ref": "#/components/schemas/TextOrNull"}}})"},
    {"Followers", R"({
  "type": "object", "required": ["followers"],
  "properties": {"followers": {"type": "array",
                               "items": {"$ref": "#/components/schemas/Follower"}}}})"},
});

}  // namespace

std::span<const Shape> shapes() {
  return kShapesOfFollowers;
}

}  // namespace drover::wire::followers
